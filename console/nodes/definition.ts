import { queryOptions } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { isUuid } from '../shared/is_uuid.ts';

/** A definition as the database stores it. */
export type DefinitionRow = Database['public']['Tables']['nodes']['Row'];

/** Reads one definition; null if it does not exist or belongs to another user. */
export const definitionQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: async ({ signal }): Promise<DefinitionRow | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('nodes').select().eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
      return data;
    },
  });

/** Returns the definition in a row, without the columns that the database sets, so that it can be stored again. */
export function definitionOf(row: DefinitionRow) {
  const { type, data, sources, targets } = row;
  const forms = Object.fromEntries(
    (['targets_form.json_schema', 'targets_form.ui_schema', 'targets_form.extra'] as const)
      .flatMap((name) => row[name] === null ? [] : [[name, row[name]]]),
  );
  return { type, data, sources, targets, ...forms };
}
