import { queryOptions } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { isUuid } from '../shared/is_uuid.ts';

/** A definition as the database stores it. */
export type DefinitionRow = Database['public']['Tables']['nodes']['Row'];

/** Reads one definition; null when there is none, or it is somebody else's. */
export const definitionQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: async ({ signal }): Promise<DefinitionRow | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('nodes').select().eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
      return data;
    },
  });

/** The definition in a row, without what the database keeps about it: what may be posted again. */
export function definitionOf(row: DefinitionRow) {
  const { type, data, sources, targets } = row;
  const forms = Object.fromEntries(
    (['targets_form.json_schema', 'targets_form.ui_schema', 'targets_form.extra'] as const)
      .flatMap((name) => row[name] === null ? [] : [[name, row[name]]]),
  );
  return { type, data, sources, targets, ...forms };
}

/** A pattern for `ilike` in which the text stands for itself. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** A value of PostgREST's `or`, in which all characters stand for themselves. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** What finds definitions by a text: in their names and descriptions, or as one of their tags. */
export function searchFilter(text: string): string {
  const pattern = quoted(likePattern(text));
  const columns = ['node_id', 'data->>display_name', 'data->>description'];
  const tag = quoted(JSON.stringify({ tags: [text] }));
  return [...columns.map((column) => `${column}.ilike.${pattern}`), `data.cs.${tag}`].join(',');
}
