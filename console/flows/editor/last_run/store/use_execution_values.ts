import { useQuery } from '@tanstack/react-query';
import type { ValueMap } from 'flow-deployments-client';
import { useApi } from '../../../../shared/api.tsx';
import { isObject } from '../../../../shared/graph/drawn_node.ts';
import { runKey } from '../../../../shared/use_run_events.ts';
import type { NodeResult } from './node_results.ts';

/** The inputs and outputs of an execution, as tagged values by name. */
export interface ExecutionValues {
  input: ValueMap | undefined;
  output: ValueMap | undefined;
}

const NO_VALUES: ExecutionValues = { input: undefined, output: undefined };

/** Returns the values of a map. */
const mapIn = (value: unknown): ValueMap | undefined =>
  // SAFETY: each of the two columns contains one tagged value, which is a map.
  isObject(value) && isObject(value.M) ? value.M as unknown as ValueMap : undefined;

/** Returns the execution that the page shows: the first failed one, or else the first one. */
export const shownExecution = (result: NodeResult | undefined) =>
  result?.executions.find(({ errors, error_handled }) => errors !== null && !error_handled) ?? result?.executions[0];

/** Reads the inputs and outputs of the shown execution of a node. */
export function useExecutionValues(nodeId: string, result: NodeResult | undefined): ExecutionValues {
  const { db } = useApi();
  const runId = result?.runId ?? '';
  const { times, end_time } = shownExecution(result) ?? { times: 0, end_time: null };
  const { data = NO_VALUES } = useQuery({
    queryKey: [...runKey(runId), 'values', nodeId, times, end_time],
    queryFn: async ({ signal }): Promise<ExecutionValues> => {
      const { data: row } = await db.from('node_run').select('input, output')
        .match({ flow_run_id: runId, node_id: nodeId, times }).abortSignal(signal).maybeSingle().throwOnError();
      return { input: mapIn(row?.input), output: mapIn(row?.output) };
    },
    enabled: (result?.executions.length ?? 0) > 0,
  });
  return data;
}
