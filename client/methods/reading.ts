import type { FlowClient, RunLogLine, RunReference, RunRow, RunSummary } from '../flow_client.ts';
import { readFees } from './read_fees.ts';
import type { Send } from '../requests/request.ts';
import { notFound, readRows } from '../requests/rows.ts';
import { readReference } from './run_reference.ts';

const SUMMARY = 'id,flow_id,deployment_id,status,created_at,start_time,end_time,errors';
/** The fees are read as text, so that they keep all their digits. */
const WHOLE = '*,fees_text:fees::text';
const LOG_LINE = 'flow_run_id,log_index,time,log_level,module,content,node_id,times';
const LOG_PAGE = 200;
const DEFAULT_LIMIT = 100;

/** Makes the query of the given filters: `name=eq.value`. */
const equals = (filters: Record<string, string | number | undefined>): string =>
  Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [`&${name}=eq.${encodeURIComponent(value)}`]
  ).join('');

/** The methods that read runs and their logs. */
export function makeReading(
  send: Send,
  { events }: Pick<FlowClient, 'events'>,
): Pick<FlowClient, 'runs' | 'run' | 'logs'> {
  const read = async <Row>(table: string, columns: string, query: string, signal?: AbortSignal, token?: string) =>
    await readRows<Row>(send, {
      path: `/rest/v1/${table}?select=${columns}${query}`,
      headers: token === undefined ? {} : { 'x-flow-run-token': token },
      isRepeatable: true,
      signal,
    });

  const readRun = async <Row>(run: RunReference<object>, columns: string, signal?: AbortSignal): Promise<Row> => {
    const { id, token } = readReference(run);
    const [row] = await read<Row>('flow_run', columns, equals({ id }), signal, token);
    if (row !== undefined) return row;
    throw notFound('flow_run_not_found', `There is no run ${id}, or you may not see it.`);
  };

  async function* storedLogs(run: RunReference<object>, after: number, signal: AbortSignal | undefined) {
    const { id, token } = readReference(run);
    await readRun(run, 'id', signal);
    for (let last = after, count = LOG_PAGE; count === LOG_PAGE;) {
      const query = `${equals({ flow_run_id: id })}&log_index=gt.${last}&order=log_index&limit=${LOG_PAGE}`;
      const page = await read<RunLogLine>('flow_run_logs', LOG_LINE, query, signal, token);
      yield* page;
      last = page.at(-1)?.log_index ?? last;
      count = page.length;
    }
  }

  /** Yields the lines that the run itself logs. The events also contain the lines of called runs, which are skipped. */
  async function* liveLogs(run: RunReference<object>, after: number, signal: AbortSignal | undefined) {
    const id = readReference(run).id.toLowerCase();
    for await (const { event, data } of events(run, { signal })) {
      if (data.flow_run_id !== id) continue;
      if (event === 'run_finish') return;
      if (event !== 'log' || data.log_index <= after) continue;
      const { called_by: _caller, name: _name, ...line } = data;
      yield line satisfies RunLogLine;
    }
  }

  return {
    run: async (run, { signal } = {}) => {
      const { fees_text: text, ...row } = await readRun<RunRow & { fees_text: string }>(run, WHOLE, signal);
      return { ...row, fees: readFees({ body: undefined, text }, (fees) => fees) };
    },
    runs: async (
      { deployment, flow, schedule, webhook, rowStart, status, limit = DEFAULT_LIMIT, before, signal } = {},
    ) => {
      const filters = equals({
        deployment_id: deployment,
        flow_id: flow,
        schedule_id: schedule,
        webhook_id: webhook,
        row_start_id: rowStart,
        status,
      });
      const page = before === undefined ? '' : `&id=lt.${encodeURIComponent(before)}`;
      const query = `&parent_flow_run_id=is.null${filters}${page}&order=id.desc&limit=${encodeURIComponent(limit)}`;
      return await read<RunSummary>('flow_run', SUMMARY, query, signal);
    },
    logs: (run, { after = -1, follow, signal } = {}) => (follow ? liveLogs : storedLogs)(run, after, signal),
  };
}
