import type { Db } from '../api.tsx';

/** The names of flows that the caller may read, by id: the caller's own flows, and public flows of others. */
export async function readFlowNames(db: Db, ids: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const add = (rows: { id: number; name: string }[]) => {
    for (const { id, name } of rows) names.set(id, name === '' ? `Flow ${id}` : name);
  };
  if (ids.length === 0) return names;
  add((await db.from('flows').select('id, name').in('id', ids).abortSignal(signal).throwOnError()).data);
  const others = ids.filter((id) => !names.has(id));
  if (others.length > 0) {
    add((await db.from('public_flows').select('id, name').in('id', others).abortSignal(signal).throwOnError()).data);
  }
  return names;
}
