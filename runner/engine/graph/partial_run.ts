import type { ValueMap } from '../../../types/values/value.ts';
import type { EarlierRuns, StoredNodeRun } from '../state/journal.ts';

/**
 * The stored configuration of a partial run. It names the nodes that run. For the other nodes, it tells where their
 * outputs come from.
 */
export interface StoredPartialConfig {
  only_nodes: readonly string[];
  /** For each node that does not run, the run from which its outputs are taken. */
  runs: Readonly<Record<string, string>>;
  /**
   * Values that the start gives, by node and port. For a node that runs, they are inputs. For any other node, they are
   * outputs.
   */
  inline: Readonly<Record<string, ValueMap>>;
}

/** The nodes that a partial run executes, and the values that it feeds them. */
export interface PartialRun extends Pick<StoredPartialConfig, 'runs' | 'inline'> {
  onlyNodes: ReadonlySet<string>;
  /**
   * Returns the executions of a node in the run that `runs` names for it. The keys are the values of `times`, in
   * ascending order.
   */
  executions: (nodeId: string) => ReadonlyMap<number, StoredNodeRun>;
}

/** Makes a partial run from its stored configuration and the stored rows of the runs that the configuration names. */
export const makePartialRun = (
  { only_nodes, runs, inline }: StoredPartialConfig,
  earlier: EarlierRuns,
): PartialRun => ({
  onlyNodes: new Set(only_nodes),
  runs,
  inline,
  executions: (nodeId) => earlier.executions(runs[nodeId] ?? '', nodeId),
});
