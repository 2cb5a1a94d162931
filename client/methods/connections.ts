import type { ConnectionRow, FlowClient, RequestOptions } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { requireTexts } from '../requests/read_answer.ts';
import type { Send } from '../requests/request.ts';
import { listRows, notFound, writeRow } from '../requests/rows.ts';

/** The methods for connections. */
export function makeConnections(
  send: Send,
): Pick<FlowClient, 'upsertConnection' | 'testConnection' | 'connections' | 'deleteConnection'> {
  const post = async (path: string, params: object, isRepeatable: boolean, { signal }: RequestOptions = {}) =>
    (await send({ method: 'POST', path, body: JSON.stringify(params), isRepeatable, signal })).body;

  return {
    // A repeated request does no harm, because it stores the same connection again.
    upsertConnection: async (connection, options) => {
      const body = await post('/functions/v1/connections/upsert', connection, true, options);
      requireTexts(body, ['id', 'name', 'kind'], 'storing the connection');
      // SAFETY: `requireTexts` has checked the members that callers read.
      return body as unknown as ConnectionRow;
    },
    testConnection: async (name, url, options) => {
      const body = await post('/functions/v1/connections/test', { name, url }, false, options);
      const status = (body as { status?: unknown } | null)?.status;
      if (typeof status === 'number') return status;
      throw new FlowError({ code: 'answer_invalid', message: 'The answer to testing the connection has no status.' });
    },
    connections: async (options) => await listRows<ConnectionRow>(send, 'connections', 'name', options),
    // A delete is not repeated, because the second attempt would report a missing row.
    deleteConnection: async (name, options) => {
      const deleted = await writeRow(send, 'connections', ['name', name], { method: 'DELETE' }, options);
      if (deleted !== undefined) return;
      throw notFound('connection_not_found', 'There is no such connection.');
    },
  };
}
