import type { ValueMap } from '../../../types/values/value.ts';
import { readFieldOr, toBoolean } from '../../../types/values/conversion.ts';
import type { Tree } from './context.ts';
import type { RunNode } from './graph.ts';
import type { NodeRun, StoredNodeRun } from './journal.ts';
import { LogBuffer } from './log_buffer.ts';
import { isLogged } from './log_filter.ts';
import { haltError, type HandedInstructions, type LogLevel, type NodeCall, NodeError, Released } from './node.ts';
import { emptyInputsHint } from './empty_inputs.ts';
import { copyMap, type Outcome, type OutputLimits, toError, tooLarge, toOutcome } from './node_values.ts';
import { type Handover, SIGNATURE, SUBMIT } from './settlement.ts';
import { toLogContent } from './text_limits.ts';
import type { CallSite, TreeRun } from './tree_run.ts';
import { measureMap } from './value_size.ts';

/** One execution of a node that has begun. */
export interface Execution {
  /**
   * At once, or later; rejects with Released when the node stopped because its run is released. An instruction node ends
   * when its instructions are settled: what comes here is what it hands over.
   */
  outcome: Outcome | Handover | Promise<Outcome | Handover>;
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
  const outputs = stored.output === null ? undefined : copyMap(stored.output.M);
  const outcome = stored.errors === null
    ? { outputs: outputs ?? copyMap({}) }
    : { error: stored.errors.join('\n'), handedOver: outputs };
  return { outcome, record: () => {} };
}

/** Keeps log lines until it is opened: a node that is released writes them when it runs again. */
function bufferUntil(write: NodeCall['log'], buffer: LogBuffer): { write: NodeCall['log']; open: () => void } {
  let add = buffer.add;
  return {
    write: (...line) => add(...line),
    open: () => {
      add = write;
      for (const line of buffer.lines.splice(0)) write(...line);
    },
  };
}

const UNKNOWN_OUTCOME = 'outcome_unknown: its worker died while it ran; what it does outside may have happened, ' +
  'so it was not run again';

/** Continues at once with a result that is there, and later with a promise. */
const followedBy = <T, R>(result: T | Promise<T>, goOn: (result: T) => R): R | Promise<R> =>
  result instanceof Promise ? result.then(goOn) : goOn(result);

/**
 * Begins one execution of a node, or takes over what an earlier claim recorded of it, `stored`.
 * A node with outside effects runs only after its begin is stored, so that the next claim knows of it.
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
  const caller: CallSite = { execution: site, node, run };
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
    const outputs = 'outputs' in outcome ? outcome.outputs : outcome.handedOver;
    if (outputs !== undefined) tree.countBytes(measureMap(outputs));
    caller.atEnd?.();
    tree.journal.nodeEnded({
      ...row,
      end_time: timestamp(tree),
      output: outputs === undefined ? null : { M: outputs },
      errors: 'error' in outcome ? [outcome.error] : null,
    });
  };
  const begun = () => {
    if (stored === undefined) tree.journal.nodeBegan(row);
  };
  const log = bufferUntil(
    (level, content) => logLine(tree, run, level, content, { node, times }),
    new LogBuffer(run.graph.environment, tree.limits),
  );

  const outputLimits: OutputLimits = {
    maxBytes: tree.limits.outputBytes,
    // The outputs that are stored of it were counted before.
    take: (bytes) => stored?.output == null ? tree.outputs.take(bytes) : undefined,
  };

  /** What an instruction node hands over. It is stored in the node's row, since the node may wait long. */
  const handOver = ({ instructions, outputs }: HandedInstructions): Handover | Outcome => {
    const outcome = toOutcome(node, inputs, outputs, outputLimits, SIGNATURE);
    if ('error' in outcome) return outcome;
    const isSubmitted = readFieldOr(inputs, SUBMIT, true, toBoolean);
    if (stored?.output == null) tree.journal.nodeBegan({ ...row, output: { M: outcome.outputs } });
    return { handedOver: outcome.outputs, instructions: isSubmitted ? instructions : undefined };
  };

  /** What an earlier claim handed on of it. The nodes behind it have these outputs, whatever becomes of it now. */
  const handedOver = () => stored?.output == null ? undefined : copyMap(stored.output.M);

  /** A node either ends or hands over. */
  type Given = Outcome | Handover;
  const ended = (outputs: ValueMap): Given => toOutcome(node, inputs, outputs, outputLimits);

  const compute = (): Given | Promise<Given> => {
    const sent = tree.settlement.sentBefore(site);
    if (tree.halt.aborted) throw sent === undefined ? haltError(tree.halt) : sent.haltError(tree.halt);
    if (sent !== undefined) return { handedOver: handedOver() ?? copyMap({}), instructions: undefined };
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
      releasing: tree.releasing,
      log: log.write,
      checkTime: tree.slice.makeCheck(stored !== undefined),
      isNamedByFlow: (inputName, publicKey) => tree.settlement.isNamedByFlow(run, node, inputName, publicKey),
      callFlow: (flowId, flowInputs) => tree.callFlow(caller, flowId, flowInputs),
      collectInstructions: (flowId, flowInputs) => tree.collectInstructions(caller, flowId, flowInputs),
      http: tree.services.http,
      scripts: tree.services.scripts,
      kv: tree.services.kv(site),
      rest: (wait, until) =>
        until === undefined
          ? tree.services.rest(wait)
          : tree.sleepers.during(run, until, () => tree.services.rest(wait)),
    };
    if ('buildInstructions' in module) return followedBy(module.buildInstructions(call), handOver);
    if (!module.hasOutsideEffect) return followedBy(module.run(call), ended);
    const isRepeatable = module.repeatable?.(inputs) ?? false;
    if (stored !== undefined && !isRepeatable) throw new NodeError(UNKNOWN_OUTCOME);
    begun();
    return tree.journal.flush().then(() => {
      if (tree.halt.aborted) throw haltError(tree.halt);
      // One that can't be repeated runs now: its begin is stored, so the next claim would not run it.
      if (tree.releasing.aborted && isRepeatable) throw new Released();
      return followedBy(module.run(call), ended);
    }, () => {
      // Without a stored begin it may not run. The run is released, and its claim tells why.
      throw new Released();
    });
  };
  const failed = (error: unknown): Given => {
    if (error instanceof Released) throw error;
    const hint = emptyInputsHint(run, node, inputs, error);
    return { ...toError(error, hint), handedOver: handedOver() };
  };

  try {
    const outcome = compute();
    log.open();
    if (!(outcome instanceof Promise)) return { outcome, record };
    if (!module?.hasOutsideEffect) begun();
    return { outcome: outcome.catch(failed), record };
  } catch (error) {
    if (error instanceof Released) {
      begun();
      return { outcome: Promise.reject(error), record };
    }
    log.open();
    return { outcome: failed(error), record };
  }
}
