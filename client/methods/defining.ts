import type { ServerTools } from '../../types/described/server_tools.ts';
import type { DefinitionToStore, FlowClient, RequestOptions, StoredDefinition } from '../flow_client.ts';
import { requireTexts } from '../requests/read_answer.ts';
import type { Send } from '../requests/request.ts';
import { notFound, readRows } from '../requests/rows.ts';

const PATH = '/rest/v1/nodes';
const COLUMNS = [
  'type',
  'data',
  'sources',
  'targets',
  '"targets_form.json_schema"',
  '"targets_form.ui_schema"',
  '"targets_form.extra"',
];
/** The most rows of an answer of PostgREST. */
const PAGE = 1_000;
/** The most definitions in a request. A request may take as long as PostgREST lets it. */
const BATCH = 100;
/** The longest wait for a description: for the turn of the caller, and for the server. */
const DESCRIPTION_TIMEOUT_MS = 90_000;

/** Gives all rows the same members, as PostgREST wants them. */
const rowOf = (definition: DefinitionToStore): Record<string, unknown> =>
  Object.fromEntries(
    COLUMNS.map((column) => column.replaceAll('"', '')).map((name) => [
      name,
      definition[name as keyof DefinitionToStore] ?? null,
    ]),
  );

/** The methods for node definitions. */
export function makeDefining(
  send: Send,
): Pick<FlowClient, 'readDocument' | 'readTools' | 'nodeDefinitions' | 'storeDefinitions' | 'deleteDefinition'> {
  const readDescription = async (
    route: string,
    url: string,
    { connection, signal }: RequestOptions & { connection?: string | undefined },
  ) => {
    const { body } = await send({
      method: 'POST',
      path: `/functions/v1/nodes/${route}`,
      body: JSON.stringify({ url, connection }),
      timeoutMs: DESCRIPTION_TIMEOUT_MS,
      signal,
    });
    return body;
  };
  return {
    readDocument: async (url, options = {}) => {
      const body = await readDescription('document', url, options);
      requireTexts(body, ['text'], 'reading the document');
      // SAFETY: `requireTexts` has checked the member.
      return (body as { text: string }).text;
    },
    readTools: async (url, options = {}) => {
      const body = await readDescription('tools', url, options);
      requireTexts(body, ['url'], 'reading the tools');
      // SAFETY: `describeTools` reads any value of the other members.
      return body as ServerTools;
    },
    nodeDefinitions: async ({ signal } = {}) => {
      const all: StoredDefinition[] = [];
      for (;;) {
        const query = `select=id,updated_at,${COLUMNS.join()}&is_public=is.false&order=node_id,version&limit=${PAGE}`;
        const rows = await readRows<StoredDefinition>(send, {
          path: `${PATH}?${encodeURI(query)}&offset=${all.length}`,
          isRepeatable: true,
          signal,
        });
        all.push(...rows);
        if (rows.length < PAGE) return all;
      }
    },
    storeDefinitions: async (definitions, { signal } = {}) => {
      for (let from = 0; from < definitions.length; from += BATCH) {
        await send({
          method: 'POST',
          path: PATH,
          headers: { prefer: 'resolution=merge-duplicates,return=minimal' },
          body: JSON.stringify(definitions.slice(from, from + BATCH).map(rowOf)),
          isRepeatable: true,
          signal,
        });
      }
    },
    deleteDefinition: async (nodeId, { version, signal } = {}) => {
      const filters = [['node_id', nodeId], ['version', version]]
        .flatMap(([column, text]) => text === undefined ? [] : [`${column}=eq.${encodeURIComponent(text)}`]);
      const deleted = await readRows(send, {
        method: 'DELETE',
        path: `${PATH}?select=id&is_public=is.false&${filters.join('&')}`,
        headers: { prefer: 'return=representation' },
        signal,
      });
      if (deleted.length === 0) throw notFound('definition_not_found', `You have no node definition ${nodeId}.`);
    },
  };
}
