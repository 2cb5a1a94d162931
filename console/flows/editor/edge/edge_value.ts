import type { Value } from 'flow-deployments-client';
import type { EdgeStart } from '../edge_refusals.ts';
import { useLastRun } from '../last_run/last_run_context.tsx';

/**
 * Returns the value that an output gave in the last run. For an output of a node `foreach`, returns the first element
 * of the value.
 */
export function useValueOf(start: EdgeStart | undefined): Value | undefined {
  const { outputs } = useLastRun();
  const value = start && outputs(start.node.id)?.[start.name];
  if (start?.node.nodeId !== 'foreach' || value === undefined || !('A' in value)) return value;
  return value.A[0];
}
