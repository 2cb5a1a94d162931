import type { ValueMap } from '../../../types/value.ts';
import type { Tree, TreeRun } from './context.ts';
import type { RunNode } from './graph.ts';
import type { NodeRun, StoredNodeRun } from './journal.ts';
import { isLogged } from './log_filter.ts';
import { haltError, HandedBack, type LogLevel, type NodeCall, NodeError } from './node.ts';
import { copyMap, type Outcome, settle, toError, tooLarge } from './node_values.ts';
import { toLogContent } from './text_limits.ts';
import { measureMap } from './value_size.ts';

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
  if (!isLogged(level, run.graph.environment)) return;
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

function replay(tree: Tree, stored: StoredNodeRun, inputs: ValueMap): Execution {
  tree.countBytes(measureMap(inputs) + measureMap(stored.output?.M ?? {}));
  const outcome = stored.errors === null
    ? { outputs: copyMap(stored.output?.M ?? {}) }
    : { error: stored.errors.join('\n') };
  return { outcome, record: () => {} };
}

/** Keeps log lines until it is opened: a node that gives up its time writes them again when it begins anew. */
function bufferUntil(write: NodeCall['log']): { write: NodeCall['log']; open: () => void } {
  let lines: Parameters<NodeCall['log']>[] | undefined = [];
  return {
    write: (...line) => {
      if (lines === undefined) write(...line);
      else lines.push(line);
    },
    open: () => {
      const kept = lines ?? [];
      lines = undefined;
      for (const line of kept) write(...line);
    },
  };
}

const UNKNOWN_OUTCOME = 'outcome_unknown: its worker died while it ran; what it does outside may have happened, ' +
  'so it was not run again';

/**
 * Begins one execution of a node, or takes over what an earlier claim recorded of it, `stored`.
 * A node with outside effects runs only after its begin is stored, so that whoever claims the run next knows of it.
 */
export function beginExecution(
  tree: Tree,
  run: TreeRun,
  node: RunNode,
  times: number,
  inputs: ValueMap,
  stored: StoredNodeRun | undefined,
): Execution {
  if (stored !== undefined && stored.end_time !== null) return replay(tree, stored, inputs);

  const { module } = node;
  const site = { flow_run_id: run.id, node_id: node.id, times };
  const startTime = stored?.start_time ?? timestamp(tree);
  const inputBytes = measureMap(inputs);
  tree.countBytes(inputBytes);
  const gathersTooMuch = module?.collects && inputBytes > tree.limits.outputBytes;
  const row: NodeRun = {
    ...site,
    start_time: startTime,
    end_time: null,
    input: { M: gathersTooMuch ? {} : inputs },
    output: null,
    errors: null,
  };
  const record = (outcome: Outcome) => {
    if ('outputs' in outcome) tree.countBytes(measureMap(outcome.outputs));
    tree.journal.nodeEnded({
      ...row,
      end_time: timestamp(tree),
      output: 'outputs' in outcome ? { M: outcome.outputs } : null,
      errors: 'error' in outcome ? [outcome.error] : null,
    });
  };
  const begun = () => {
    if (stored === undefined) tree.journal.nodeBegan(row);
  };
  const log = bufferUntil((level, content) => logLine(tree, run, level, content, { node, times }));

  const compute = (): ValueMap | Promise<ValueMap> => {
    if (tree.halt.aborted) throw haltError(tree.halt);
    if (module === undefined) {
      const lack = node.type === 'native'
        ? `there is no node ${node.nodeId}`
        : `nodes of type ${node.type} are not executed`;
      throw new NodeError(`node_not_implemented: ${lack}`);
    }
    if (node.fault !== undefined) throw new NodeError(node.fault);
    if (gathersTooMuch) throw new NodeError(tooLarge(inputBytes, tree.limits.outputBytes));
    const call: NodeCall = {
      inputs,
      formData: node.formData,
      inputNames: node.inputNames,
      outputNames: node.outputNames,
      maxOutputBytes: tree.limits.outputBytes,
      run: { ...tree.run, id: run.id, environment: run.graph.environment },
      startTime: Date.parse(startTime),
      signal: tree.cancel,
      handBack: tree.handBack,
      log: log.write,
      checkTime: tree.slice.makeCheck(stored !== undefined),
      isNamedByFlow: () => false,
      callFlow: (flowId, flowInputs) => tree.callFlow(site, run.depth, flowId, flowInputs),
      http: tree.services.http,
      kv: tree.services.kv(site),
    };
    if ('buildInstructions' in module) throw new NodeError('transactions are not made yet');
    if (!module.hasOutsideEffect) return module.run(call);
    const isRepeatable = module.repeatable?.(inputs) ?? false;
    if (stored !== undefined && !isRepeatable) throw new NodeError(UNKNOWN_OUTCOME);
    begun();
    return tree.journal.flush().then(() => {
      if (tree.halt.aborted) throw haltError(tree.halt);
      // One that can't be repeated goes on: begun as it is, the next claim would not run it.
      if (tree.handBack.aborted && isRepeatable) throw new HandedBack();
      return module.run(call);
    }, () => {
      // What can't be stored is not begun: the run goes back, and its claim tells why.
      throw new HandedBack();
    });
  };
  const settled = (outputs: ValueMap) => settle(node, inputs, outputs, tree.limits.outputBytes);
  const failed = (error: unknown): Outcome => {
    if (error instanceof HandedBack) throw error;
    return toError(error);
  };

  try {
    const outputs = compute();
    log.open();
    if (!(outputs instanceof Promise)) return { outcome: settled(outputs), record };
    if (!module?.hasOutsideEffect) begun();
    return { outcome: outputs.then(settled).catch(failed), record };
  } catch (error) {
    if (error instanceof HandedBack) {
      begun();
      return { outcome: Promise.reject(error), record };
    }
    log.open();
    return { outcome: failed(error), record };
  }
}
