import type { Db } from '../../shared/api.tsx';
import { isObject } from '../../shared/graph/drawn_node.ts';
import type { DrawnDefinition } from './definition.ts';

/** Reads a whole definition. Throws if it has been deleted. */
export async function readDefinition(db: Db, id: string): Promise<DrawnDefinition> {
  const { data } = await db.from('nodes').select('*').eq('id', id).maybeSingle().throwOnError();
  if (!isObject(data)) throw new Error('This definition has been deleted.');
  // SAFETY: a row of the table has these columns.
  return data as unknown as DrawnDefinition;
}
