import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PlainValues, ValueMap } from 'flow-deployments-client';
import { type Api, useApi } from '../../../../shared/api.tsx';
import { callFunction } from '../../../../shared/call_function.ts';
import { readEdge } from '../../../../shared/graph/drawn_node.ts';
import { showError } from '../../../../shared/errors/shown_error.ts';
import { useEditor } from '../../editor_context.tsx';
import type { FlowDocument } from '../../flow_document.ts';
import { messagesByNode, readProblems } from '../../problems/problem.ts';
import type { Saving } from '../../use_saving.ts';
import type { NodeResult } from './node_results.ts';
import type { StartedDraft } from './started_runs.ts';

/** A request to run the flow as it is drawn. */
export interface RunRequest {
  /** The inputs of the flow as plain values. */
  values?: PlainValues | undefined;
  /** The nodes that the run executes; undefined for all nodes. */
  only?: ReadonlySet<string> | undefined;
  /**
   * Values for inputs of these nodes, by node and input. They replace the values that the inputs would get from edges.
   */
  inline?: { [nodeId: string]: ValueMap } | undefined;
}

/**
 * Finds the nodes that are not executed but have edges to executed nodes. For each of them, returns the earlier run
 * from which the new run takes the node's outputs.
 */
function runsOfSources(
  document: FlowDocument,
  only: ReadonlySet<string>,
  results: ReadonlyMap<string, NodeResult>,
  pins: ReadonlyMap<string, ValueMap>,
): { [nodeId: string]: string } {
  const runs: { [nodeId: string]: string } = {};
  for (const { source, target } of document.edges.map(readEdge)) {
    const result = only.has(target) && !only.has(source) ? results.get(source) : undefined;
    // For a pinned node, no run is returned, because the new run would take the outputs from the returned run instead
    // of using the pinned outputs.
    if (result !== undefined && result.executions.length > 0 && !pins.has(source)) runs[source] = result.runId;
  }
  return runs;
}

interface Known {
  results: ReadonlyMap<string, NodeResult>;
  pins: ReadonlyMap<string, ValueMap>;
}

async function startDraft(
  api: Api,
  flowId: number,
  document: FlowDocument,
  { values, only, inline }: RunRequest,
  { results, pins }: Known,
): Promise<string> {
  const started = await callFunction<{ flow_run_id: string }>(api, `flow/start/${flowId}`, {
    ...(values !== undefined && { values }),
    ...(only !== undefined && {
      partial_config: {
        only_nodes: [...only],
        values_config: {
          nodes: runsOfSources(document, only, results, pins),
          ...(inline !== undefined && { inline }),
        },
      },
    }),
  });
  return started.flow_run_id;
}

/** Saves the flow if it was changed, and starts it. Calls `onStarted` with the run. */
export function useStarting(saving: Saving, known: Known, onStarted: (run: StartedDraft) => void) {
  const { flow, store } = useEditor();
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (request: RunRequest) => {
      store.showFaults(new Map());
      // If the save failed, `saving` shows the reason.
      if (!await saving.save()) return;
      const { document, version } = store.state();
      const id = await startDraft(api, flow.id, document, request, known);
      onStarted({ id, only: request.only && [...request.only], version, document });
      void queries.invalidateQueries({ queryKey: ['runs', 'list'] });
      void queries.invalidateQueries({ queryKey: ['flows', 'last run', flow.id] });
    },
    onError: (error) => {
      if (showError(error).code !== 'flow_invalid') return;
      store.showFaults(messagesByNode(readProblems(Reflect.get(error, 'details'), store.state().document, flow.id)));
    },
  });
}
