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

/** Reads the project's own definitions of native nodes: of each node the newest one. Throws if one is missing. */
export async function readNativeDefinitions<Name extends string>(
  db: Db,
  names: readonly Name[],
): Promise<{ readonly [name in Name]: DrawnDefinition }> {
  const { data } = await db.from('nodes').select('*').in('node_id', names).is('user_id', null).eq('type', 'native')
    .order('created_at').throwOnError();
  // SAFETY: a row of the table has these columns.
  const rows = data as unknown as (DrawnDefinition & { node_id: string })[];
  const found = Object.fromEntries(rows.map((row) => [row.node_id, row]));
  const missing = names.find((name) => found[name] === undefined);
  if (missing !== undefined) throw new Error(`This project has no node ${missing}.`);
  // SAFETY: each name has a definition.
  return found as unknown as { readonly [name in Name]: DrawnDefinition };
}
