import type { FlowClient, FlowSummary } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import type { Send } from '../requests/request.ts';
import { notFound, readRows } from '../requests/rows.ts';

/** The columns of a flow by their names in an editor's file. The environment may have secrets, so no file has it. */
const COLUMNS = {
  name: 'name',
  description: 'description',
  folder: 'folder',
  instructions_bundling: 'instructions_bundling',
  isPublic: 'is_public',
  start_shared: 'start_shared',
  start_unverified: 'start_unverified',
} as const;

const PATH = '/rest/v1/flows';
/** The most rows of an answer of PostgREST. */
const PAGE = 1_000;

/** The columns of the graph are read as texts, because `JSON.parse` would round long numbers. */
const WHOLE = `id,updated_at,${Object.values(COLUMNS).join()},nodes::text,edges::text`;

type FlowRow = { id: number; updated_at: string; nodes: string; edges: string } & Record<string, unknown>;

const noFlow = (id: number) => notFound('flow_not_found', `There is no flow ${id}, or it is somebody else's.`);

/** The methods that read and write flows as files. */
export function makeFlowFiles(send: Send): Pick<FlowClient, 'flows' | 'pullFlow' | 'pushFlow'> {
  const pullFlow: FlowClient['pullFlow'] = async (id, { signal } = {}) => {
    const query = `select=${WHOLE}&id=eq.${encodeURIComponent(id)}`;
    const [row] = await readRows<FlowRow>(send, { path: `${PATH}?${query}`, isRepeatable: true, signal });
    if (row === undefined) throw noFlow(id);
    const others = Object.entries(COLUMNS).map(([name, column]) =>
      `${JSON.stringify(name)}:${JSON.stringify(row[column])}`
    );
    const ends = `"id":${row.id},"updated_at":${JSON.stringify(row.updated_at)}`;
    return {
      id: row.id,
      name: String(row.name),
      text: `{${ends},${others.join()},"nodes":${row.nodes},"edges":${row.edges}}`,
    };
  };

  const pushFlow: FlowClient['pushFlow'] = async ({ id, updatedAt, members }, { signal } = {}) => {
    const columns: Record<string, string> = { ...COLUMNS, nodes: 'nodes', edges: 'edges' };
    const body = Object.entries(columns).filter(([name]) => members[name] !== undefined)
      .map(([name, column]) => `${JSON.stringify(column)}:${members[name]}`);
    const filter = id === undefined
      ? ''
      : `&id=eq.${encodeURIComponent(id)}&updated_at=eq.${encodeURIComponent(updatedAt ?? '')}`;
    const [row] = await readRows<{ id: number; updated_at: string }>(send, {
      method: id === undefined ? 'POST' : 'PATCH',
      path: `${PATH}?select=id,updated_at${filter}`,
      headers: { prefer: 'return=representation' },
      body: `{${body.join()}}`,
      signal,
    });
    if (row !== undefined) return { id: row.id, updatedAt: row.updated_at };
    if (id === undefined) throw new FlowError({ code: 'answer_invalid', message: 'The answer holds no flow.' });
    await pullFlow(id, { signal });
    throw new FlowError({
      code: 'flow_changed',
      message: `Somebody has saved flow ${id} since its file was pulled.`,
      hint: 'Keep a copy of the file, pull the flow again, and repeat the changes.',
      status: 409,
    });
  };

  return {
    pullFlow,
    pushFlow,
    flows: async ({ signal } = {}) => {
      const all: FlowSummary[] = [];
      for (;;) {
        const rows = await readRows<FlowSummary>(send, {
          path: `${PATH}?select=id,name,folder,updated_at&id=gt.${all.at(-1)?.id ?? 0}&order=id&limit=${PAGE}`,
          isRepeatable: true,
          signal,
        });
        all.push(...rows);
        if (rows.length < PAGE) return all;
      }
    },
  };
}
