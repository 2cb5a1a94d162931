import type { ValueMap } from '../../../types/value.ts';
import type { Tree, TreeRun } from './context.ts';
import type { RunNode } from './graph.ts';
import type { NodeRun, StoredNodeRun } from './journal.ts';
import { type Halt, HandedBack, type LogLevel, type NodeCall, NodeError } from './node.ts';
import { copyMap, type Outcome, settle, toError } from './node_values.ts';
import { toLogContent } from './text_limits.ts';

/** One execution of a node that has begun. */
export interface Execution {
  /** At once, or later; rejects with HandedBack when the node gave up its time. */
  outcome: Outcome | Promise<Outcome>;
  /** Puts the outcome on record, once. */
  record: (outcome: Outcome) => void;
}

const timestamp = (tree: Tree): string => new Date(tree.now()).toISOString();

/** Writes a log line of a run, or of one of its nodes. */
export function logLine(
  tree: Tree,
  run: TreeRun,
  level: LogLevel,
  content: string,
  node?: { node: RunNode; times: number },
): void {
  tree.journal.logged({
    flow_run_id: run.id,
    node_id: node?.node.id ?? null,
    times: node?.times ?? null,
    time: timestamp(tree),
    log_level: level,
    module: node?.node.nodeId ?? null,
    content: toLogContent(content),
  });
}

const replay = (stored: StoredNodeRun): Execution => ({
  outcome: stored.errors === null ? { outputs: copyMap(stored.output?.M ?? {}) } : { error: stored.errors.join('\n') },
  record: () => {},
});

const UNKNOWN_OUTCOME = 'outcome_unknown: its worker died while it ran; what it does outside may have happened, ' +
  'so it was not run again';

/**
 * Begins one execution of a node, or takes over what an earlier claim recorded of it.
 * A node with outside effects runs only after its begin is stored, so that whoever claims the run next knows of it.
 */
export function beginExecution(tree: Tree, run: TreeRun, node: RunNode, times: number, inputs: ValueMap): Execution {
  const stored = tree.history.nodeRun(run.id, node.id, times);
  if (stored !== undefined && stored.end_time !== null) return replay(stored);

  const { module } = node;
  const site = { flow_run_id: run.id, node_id: node.id, times };
  const startTime = stored?.start_time ?? timestamp(tree);
  const row: NodeRun = {
    ...site,
    start_time: startTime,
    end_time: null,
    input: { M: inputs },
    output: null,
    errors: null,
  };
  const record = (outcome: Outcome) =>
    tree.journal.nodeEnded({
      ...row,
      end_time: timestamp(tree),
      output: 'outputs' in outcome ? { M: outcome.outputs } : null,
      errors: 'error' in outcome ? [outcome.error] : null,
    });
  const begun = () => {
    if (stored === undefined) tree.journal.nodeBegan(row);
  };

  const compute = (): ValueMap | Promise<ValueMap> => {
    // SAFETY: whoever aborts it gives a Halt.
    if (tree.halt.aborted) throw new NodeError((tree.halt.reason as Halt).message);
    if (module === undefined) throw new NodeError(`node_not_implemented: there is no node ${node.nodeId}`);
    if (node.fault !== undefined) throw new NodeError(node.fault);
    const call: NodeCall = {
      inputs,
      formData: node.formData,
      inputNames: node.inputNames,
      outputNames: node.outputNames,
      run: { ...tree.run, id: run.id, environment: run.graph.environment },
      startTime: Date.parse(startTime),
      signal: tree.halt,
      handBack: tree.slice.handBack,
      log: (level, content) => logLine(tree, run, level, content, { node, times }),
      checkTime: tree.slice.makeCheck(stored !== undefined),
      callFlow: (flowId, flowInputs) => tree.callFlow(site, run.depth, flowId, flowInputs),
      http: tree.services.http,
      kv: tree.services.kv(site),
    };
    if (!module.hasOutsideEffect) return module.run(call);
    if (stored !== undefined && !module.repeatable?.(inputs)) throw new NodeError(UNKNOWN_OUTCOME);
    begun();
    // What can't be stored is not begun: the run goes back, and its claim tells why.
    return tree.journal.flush().then(() => module.run(call), () => Promise.reject(new HandedBack()));
  };
  const settled = (outputs: ValueMap) => settle(node, inputs, outputs, tree.limits.outputBytes);
  const failed = (error: unknown): Outcome => {
    if (error instanceof HandedBack) throw error;
    return toError(error);
  };

  try {
    const outputs = compute();
    if (!(outputs instanceof Promise)) return { outcome: settled(outputs), record };
    if (!module?.hasOutsideEffect) begun();
    return { outcome: outputs.then(settled).catch(failed), record };
  } catch (error) {
    if (!(error instanceof HandedBack)) return { outcome: failed(error), record };
    begun();
    return { outcome: Promise.reject(error), record };
  }
}
