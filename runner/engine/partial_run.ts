import type { ValueMap } from '../../types/values/value.ts';
import type { EarlierRuns, StoredNodeRun } from './journal.ts';

/** Which nodes of a flow a run executes and where it finds the others' outputs, as the start stored it. */
export interface StoredPartialConfig {
  only_nodes: readonly string[];
  /** For each node that does not run: the run from which its outputs are taken. */
  runs: Readonly<Record<string, string>>;
  /** Values given by hand, by node and port: inputs of nodes that run, outputs of the others. */
  inline: Readonly<Record<string, ValueMap>>;
}

/** The nodes that a partial run executes, and the values that it feeds them. */
export interface PartialRun extends Pick<StoredPartialConfig, 'runs' | 'inline'> {
  onlyNodes: ReadonlySet<string>;
  /** The executions of a node in the run that is named for it, by `times`, in this order. */
  executions: (nodeId: string) => ReadonlyMap<number, StoredNodeRun>;
}

/** Puts a partial run together from its stored configuration and the stored rows of the runs that it names. */
export const makePartialRun = (
  { only_nodes, runs, inline }: StoredPartialConfig,
  earlier: EarlierRuns,
): PartialRun => ({
  onlyNodes: new Set(only_nodes),
  runs,
  inline,
  executions: (nodeId) => earlier.executions(runs[nodeId] ?? '', nodeId),
});
