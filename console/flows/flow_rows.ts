import type { Database } from 'flow-deployments-client';
import type { Db } from '../shared/api.tsx';
import { parseExactly } from '../shared/exact_json.ts';
import { isObject, type PlainObject } from '../shared/graph/drawn_node.ts';

type FlowInsert = Database['public']['Tables']['flows']['Insert'];

/** The parts of a flow besides its graph. */
export interface FlowSettings {
  name: string;
  description: string;
  environment: Record<string, string>;
  chain_network: { url: string; cluster: string };
  instructions_bundling: string;
  is_public: boolean;
  start_shared: boolean;
  start_unverified: boolean;
}

/** Returns the settings of a flow without its other parts. */
export const settingsOf = (flow: FlowSettings): FlowSettings => ({
  name: flow.name,
  description: flow.description,
  environment: flow.environment,
  chain_network: flow.chain_network,
  instructions_bundling: flow.instructions_bundling,
  is_public: flow.is_public,
  start_shared: flow.start_shared,
  start_unverified: flow.start_unverified,
});

/** A flow in the editor. */
export interface Flow extends FlowSettings {
  id: number;
  user_id: string;
  updated_at: string;
  nodes: readonly PlainObject[];
  edges: readonly PlainObject[];
}

const SETTINGS =
  'name, description, environment, chain_network, instructions_bundling, is_public, start_shared, start_unverified';

const PUBLIC_SETTINGS = 'name, description, chain_network, instructions_bundling, start_shared, start_unverified';

/** Reads a column of nodes or edges, as text. */
export const objectsOf = (text: string): PlainObject[] => {
  const list = parseExactly(text);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** The clusters of Solana, each with its public address. */
export const CLUSTERS: Record<string, string> = {
  devnet: 'https://api.devnet.solana.com',
  testnet: 'https://api.testnet.solana.com',
  'mainnet-beta': 'https://api.mainnet-beta.solana.com',
};

/** Reads a flow; undefined if it does not exist, or if the caller may not read it. */
export const readFlow = async (db: Db, id: number, signal: AbortSignal): Promise<Flow | undefined> =>
  await readOwnFlow(db, id, signal) ?? await readPublicFlow(db, id, signal);

async function readOwnFlow(db: Db, id: number, signal: AbortSignal): Promise<Flow | undefined> {
  // The graph is read as text, because `JSON.parse` would round numbers beyond 2^53 that other editors have stored.
  const { data } = await db.from('flows')
    .select(`id, user_id, updated_at, ${SETTINGS}, nodes:nodes::text, edges:edges::text`)
    .eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
  if (data === null) return undefined;
  // SAFETY: the table's constraints enforce the types of these columns; supabase-js types them as JSON only.
  const { nodes, edges, ...rest } = data as unknown as Omit<Flow, 'nodes' | 'edges'> & { nodes: string; edges: string };
  return { ...rest, nodes: objectsOf(nodes), edges: objectsOf(edges) };
}

/**
 * Reads a public flow of another user. Only the owner of the flow can read its environment and the address of its
 * network.
 */
async function readPublicFlow(db: Db, id: number, signal: AbortSignal): Promise<Flow | undefined> {
  const { data } = await db.from('public_flows')
    .select(`id, user_id, updated_at, ${PUBLIC_SETTINGS}, nodes:nodes::text, edges:edges::text`)
    .eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
  if (data === null) return undefined;
  // SAFETY: the columns are those of the table, whose constraints enforce their types.
  const { nodes, edges, chain_network: { cluster }, ...rest } = data as unknown as
    & Omit<Flow, 'nodes' | 'edges' | 'environment' | 'is_public'>
    & { nodes: string; edges: string };
  return {
    ...rest,
    environment: {},
    chain_network: { url: CLUSTERS[cluster]!, cluster },
    is_public: true,
    nodes: objectsOf(nodes),
    edges: objectsOf(edges),
  };
}

/** Stores a new flow and returns its id. */
export async function insertFlow(db: Db, flow: object): Promise<number> {
  // SAFETY: the database checks each column and names the faults.
  const { data } = await db.from('flows').insert(flow as FlowInsert).select('id').single().throwOnError();
  return data.id;
}

/** Stores a copy of a flow, which is not public, and returns the copy's id. */
export const insertCopy = (db: Db, { nodes, edges, ...settings }: Omit<Flow, 'id' | 'user_id' | 'updated_at'>) =>
  insertFlow(db, {
    ...settingsOf(settings),
    name: `${settings.name} (copy)`.slice(0, 200),
    is_public: false,
    nodes,
    edges,
  });

/** The result of a save: the new time of the last change, or a refusal because somebody else has saved the flow. */
type SaveResult = { updatedAt: string } | 'saved by somebody else';

/**
 * Changes a flow only if its last change was at the time `version`. One SQL statement compares and writes, so no other
 * save can come between.
 */
export async function saveFlow(db: Db, id: number, version: string, columns: object): Promise<SaveResult> {
  const { data } = await db.from('flows').update(columns as FlowInsert).eq('id', id).eq('updated_at', version)
    .select('updated_at').throwOnError();
  const [row] = data;
  return row === undefined ? 'saved by somebody else' : { updatedAt: row.updated_at };
}

/** Deletes a flow. Throws `flow_has_deployments` if the flow has deployments. */
export const deleteFlow = async (db: Db, id: number): Promise<void> =>
  void await db.from('flows').delete().eq('id', id).throwOnError();

/** Converts a flow to the file format of editors. */
export const toEditorFile = (flow: Omit<Flow, 'user_id' | 'updated_at'>): PlainObject => ({
  id: flow.id,
  name: flow.name,
  description: flow.description,
  nodes: flow.nodes,
  edges: flow.edges,
  environment: flow.environment,
  current_network: flow.chain_network,
  instructions_bundling: flow.instructions_bundling,
  isPublic: flow.is_public,
  start_shared: flow.start_shared,
  start_unverified: flow.start_unverified,
});

/** A flow of an editor's file. */
interface ImportedFlow {
  row: { nodes: readonly PlainObject[] };
  /** The id of the flow in the file; undefined without one. */
  id: string | undefined;
  /** The parts of the file that the row does not contain. */
  leftOut: string[];
}

/**
 * Converts an editor's file to a row of `flows`. Calls of flows get the ids of stored flows, which `flowIds` has by the
 * ids in their files. Throws an error that names the fault in the file.
 */
export async function fromEditorFile(text: string, flowIds: ReadonlyMap<string, number>): Promise<ImportedFlow> {
  let json: unknown;
  try {
    json = parseExactly(text);
  } catch (error) {
    throw new Error(`The file is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  // Loaded here, because only imports need this check.
  const { readEditorFlow, resolveCalls } = await import('flow-deployments-client/editor-flow');
  const { row, isConverted, id, leftOut } = readEditorFlow(JSON.parse(text), flowIds);
  // A file in the newer form has numbers as texts, so `JSON.parse` has rounded none of them.
  // SAFETY: `readEditorFlow` has checked that the nodes are objects.
  if (isConverted) return { row: row as ImportedFlow['row'], id, leftOut };
  // `JSON.parse` may have rounded numbers in `row`, so the nodes and edges are taken from `json`, which has all digits.
  const { nodes, edges } = json as { nodes: PlainObject[]; edges: PlainObject[] };
  return { row: { ...row, nodes: resolveCalls(nodes, flowIds), edges } as ImportedFlow['row'], id, leftOut };
}

/** Stores other nodes for a flow. */
export const storeNodes = async (db: Db, id: number, nodes: readonly PlainObject[]): Promise<void> =>
  // SAFETY: the database checks each column and names the faults.
  void await db.from('flows').update({ nodes } as FlowInsert).eq('id', id).throwOnError();
