import { queryOptions, skipToken } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { isObject, objectAt, readNode } from '../shared/graph/drawn_node.ts';

/** The graph of a run. */
export interface ShownGraph {
  nodes: readonly unknown[];
  edges: readonly unknown[];
  /**
   * True if this is the graph that the run executed. False if it is the present graph of the flow, because the run has
   * no deployment or its deployment was deleted.
   */
  isFrozen: boolean;
  /** The ids of the nodes `ai_agent`. */
  agents: ReadonlySet<string>;
  /** The titles of the nodes, by their ids. */
  titles: ReadonlyMap<string, string>;
  /** The names of the nodes' inputs, by the nodes' ids. */
  inputs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The titles of the nodes while no graph is read. */
export const NO_TITLES: ShownGraph['titles'] = new Map();

const listOf = (json: unknown): readonly unknown[] => Array.isArray(json) ? json : [];

function toGraph(graph: unknown, isFrozen: boolean): ShownGraph {
  const { nodes, edges } = isObject(graph) ? graph : {};
  const drawn = listOf(nodes).map(readNode);
  return {
    nodes: listOf(nodes),
    edges: listOf(edges),
    isFrozen,
    agents: new Set(drawn.flatMap(({ id, nodeId }) => nodeId === 'ai_agent' ? id : [])),
    titles: new Map(drawn.map(({ id, title }) => [id, title])),
    inputs: new Map(drawn.map(({ id, inputs }) => [id, new Set(inputs.map(({ name }) => name))])),
  };
}

/** Finds the deployment of the outermost run. A called run does not name the deployment; it names only its caller. */
async function rootDeployment(db: Api['db'], run: RunRow, signal: AbortSignal): Promise<string | null> {
  let { deployment_id, parent_flow_run_id: parentId } = run;
  while (parentId !== null) {
    const { data } = await db.from('flow_run').select('deployment_id, parent_flow_run_id').eq('id', parentId)
      .abortSignal(signal).maybeSingle().throwOnError();
    deployment_id = data?.deployment_id ?? null;
    parentId = data?.parent_flow_run_id ?? null;
  }
  return deployment_id;
}

/** Reads the graph of a run whose flow belongs to the user: the frozen graph, or else the present graph of the flow. */
export const runGraphQuery = ({ db }: Api, run: RunRow | undefined) =>
  queryOptions({
    queryKey: ['runs', 'graph', run?.id],
    // A frozen graph never changes. If the present graph of the flow changes, the page still keeps the graph that it
    // showed first.
    staleTime: Infinity,
    queryFn: run === undefined ? skipToken : async ({ signal }): Promise<ShownGraph> => {
      const deployment = await rootDeployment(db, run, signal);
      if (deployment !== null) {
        const { data, error } = await db.rpc('deployment_graph', { id: deployment }).abortSignal(signal);
        if (error === null) return toGraph(objectAt(data, 'flows')[run.flow_id], true);
        if (error.code !== 'deployment_not_found') throw error;
      }
      const { data } = await db.from('flows').select('nodes, edges').eq('id', run.flow_id).abortSignal(signal)
        .maybeSingle().throwOnError();
      return toGraph(data, false);
    },
  });
