import type { PartialConfig, StartFlowParams, StartFlowResult } from '../../types/deployment.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { FlowClient, NodeRunRow, RunNodeOptions } from '../flow_client.ts';
import { toValue } from '../plain_value.ts';
import { postStart } from './post_start.ts';
import type { Send } from '../requests/request.ts';
import { readRows } from '../requests/rows.ts';
import { readReference } from './run_reference.ts';

const NODE_RUN = 'node_id,times,start_time,end_time,input,output,errors,error_handled,is_pinned';

/** Makes the member `values_config` in the body of a run of single nodes. */
function valuesOf(only: readonly string[], { from, values, inputs, outputs = {} }: RunNodeOptions) {
  const plain = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  const given: ValueMap = { ...Object.fromEntries(plain.map(([name, value]) => [name, toValue(value)])), ...inputs };
  const inline = { ...outputs, ...(Object.keys(given).length > 0 && { [only[0] ?? '']: given }) };
  return {
    ...(from !== undefined && { default_run_id: readReference(from).id }),
    inline,
  } satisfies PartialConfig['values_config'];
}

/** The methods that run single nodes of a flow, and that read the executions of nodes. */
export function makeRunningNodes(send: Send): Pick<FlowClient, 'runNode' | 'nodeRuns'> {
  return {
    runNode: async (flow, node, options = {}) => {
      const { environment, outputInstructions, idempotencyKey, signal } = options;
      const only = typeof node === 'string' ? [node] : node;
      const params: StartFlowParams = {
        partial_config: { only_nodes: [...only], values_config: valuesOf(only, options) },
        ...(environment !== undefined && { environment }),
        ...(outputInstructions !== undefined && { output_instructions: outputInstructions }),
      };
      const path = `/functions/v1/flow/start/${encodeURIComponent(flow)}`;
      const started = await postStart(
        send,
        { path, body: JSON.stringify(params), idempotencyKey, signal },
        'the start',
      );
      // SAFETY: the answer of this route also has `warnings`.
      return started as StartFlowResult;
    },
    nodeRuns: async (run, { node, signal } = {}) => {
      const { id } = readReference(run);
      const ofNode = node === undefined ? '' : `&node_id=eq.${encodeURIComponent(node)}`;
      return await readRows<NodeRunRow>(send, {
        path: `/rest/v1/node_run?select=${NODE_RUN}&flow_run_id=eq.${encodeURIComponent(id)}${ofNode}` +
          '&order=start_time,node_id,times&limit=1000',
        isRepeatable: true,
        signal,
      });
    },
  };
}
