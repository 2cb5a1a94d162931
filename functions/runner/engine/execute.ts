import type { Snapshot } from '../../../types/flow.ts';
import type { Value, ValueMap } from '../../../types/value.ts';
import { makeRunGraph, type RunNode } from './graph.ts';
import type { History, Journal, RunResult, StoredNodeRun } from './journal.ts';
import type { RunLimits } from './limits.ts';
import { type Effect, formText, type Halt, type NodeRegistry, type NodeServices, type RunInfo } from './node.ts';
import { beginExecution, logLine, type TreeRun } from './node_execution.ts';
import { completeInputs, copyMap, type Outcome, toError } from './node_values.ts';
import { type FinishedNodes, readiness, take } from './readiness.ts';
import type { Slice } from './slice.ts';
import { toMessage } from './text_limits.ts';

/** Error lines that a run keeps at most. */
const MAX_ERROR_LINES = 100;

/** The run goes back to the queue, to be gone on with in another claim. */
export interface HandBack {
  status: 'handed_back';
}

/** What a root run and its interflow children share while they are executed. */
export interface Tree {
  snapshot: Snapshot;
  run: Omit<RunInfo, 'id' | 'environment'>;
  registry: NodeRegistry;
  services: NodeServices;
  journal: Journal;
  history: History;
  limits: RunLimits;
  slice: Slice;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Aborted with a Halt. */
  halt: AbortSignal;
  /**
   * Counts a node execution that is about to begin; `stored` is what an earlier claim stored of it. False: it is one too many,
   * and the tree is halted instead.
   */
  countExecution: (stored: StoredNodeRun | undefined) => boolean;
  /** Whether this claim has brought anything new: a run that goes back without would never end. */
  hasProgressed: () => boolean;
  /** Runs a flow for a node, as a run of its own. */
  callFlow: (caller: Effect, depth: number, flowId: number, inputs: ValueMap) => Promise<ValueMap>;
}

interface Completion {
  node: RunNode;
  times: number;
  isElement: boolean;
  outcome: Outcome;
}

interface ErrorLine {
  node: RunNode;
  times: number;
  line: string;
}

const flowOutputLabel = (node: RunNode): string => formText(node.formData, 'label') ?? '';

/**
 * Executes one run to its end, or until it goes back to the queue.
 *
 * Each edge carries a queue of values; a node starts when each of its edges has one, or will never have one and needs none. Nodes
 * that become ready together start in the order of the flow's `nodes`. A failing node fails alone: who needs its outputs
 * does not run, the rest goes on. After a halt no node starts; what runs is told, and recorded if it ends in time.
 * Source: RUNTIME.md, sections 3 and 7.
 */
export async function executeRun(tree: Tree, run: TreeRun): Promise<RunResult | HandBack> {
  const { slice, halt } = tree;
  slice.enter();
  const { nodes, warnings } = makeRunGraph(run.graph, tree.registry);
  const errors: ErrorLine[] = [];
  const flowOutputs = new Map<RunNode, Value[]>();
  const underWay = new Map<RunNode, (outcome: Outcome) => void>();
  let completions: Completion[] = [];
  let isHandedBack = false;
  let wake = () => {};
  const news = () => new Promise<void>((resolve) => wake = resolve);

  const start = (node: RunNode): void => {
    const { values, isElement } = take(node);
    const times = node.times++;
    node.hasStarted = true;
    node.isRunning = true;
    const execution = beginExecution(tree, run, node, times, completeInputs(node, values, run.inputs));
    const end = (outcome: Outcome) => {
      execution.record(outcome);
      completions.push({ node, times, isElement, outcome });
    };
    const { outcome } = execution;
    if (!(outcome instanceof Promise)) return end(outcome);
    underWay.set(node, end);
    void outcome.then((settled) => {
      // Not under way any more: it was cancelled, and is recorded as that.
      if (underWay.delete(node)) end(settled);
    }, () => {
      underWay.delete(node);
      isHandedBack = true;
    }).finally(() => wake());
  };

  const skip = (node: RunNode): void => {
    const { isElement } = take(node);
    const times = node.times++;
    node.isRunning = true;
    completions.push({ node, times, isElement, outcome: { outputs: copyMap({}) } });
  };

  /** Hands the outputs on; returns the nodes that may be ready now. */
  const apply = ({ node, times, isElement, outcome }: Completion): RunNode[] => {
    const outputs = 'outputs' in outcome ? outcome.outputs : copyMap({});
    node.isRunning = false;
    if ('error' in outcome) {
      const place = times > 0 || isElement ? `#${times}` : '';
      errors.push({ node, times, line: `${toMessage(node.title)} ${node.id}${place}: ${outcome.error}` });
    }
    for (const edge of node.outgoing) {
      const value = outputs[edge.sourcePort];
      if (value !== undefined && edge.isSpread) {
        for (const element of 'A' in value ? value.A : [value]) edge.queue.push({ value: element, isElement: true });
      } else if (value !== undefined || isElement || edge.isOptional) {
        // Inside a loop every iteration leaves an entry, so that the ones after it keep their places.
        edge.queue.push({ value, isElement });
      }
    }
    if (node.module?.isFlowOutput) {
      const value = outputs[flowOutputLabel(node)];
      const values = flowOutputs.get(node) ?? [];
      if (value !== undefined) values.push(value);
      flowOutputs.set(node, values);
    }
    return [node, ...node.outgoing.map((edge) => edge.target)];
  };

  /** Waits for what runs as long as the halt allows, and cancels the rest. */
  const cancelUnderWay = async ({ message, graceMs }: Halt): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deadline = new Promise<'over'>((resolve) => timer = setTimeout(() => resolve('over'), graceMs));
    while (underWay.size > 0) {
      if (await Promise.race([deadline, news()]) === 'over') break;
    }
    clearTimeout(timer);
    for (const [node, end] of underWay) {
      underWay.delete(node);
      end(toError(message));
    }
    completions.splice(0).forEach(apply);
  };

  /**
   * After a halt only what is on record is gone through again: the outputs of the run are made of it, and what an earlier claim
   * began is cancelled.
   */
  const mayStart = (node: RunNode): boolean => {
    const stored = tree.history.nodeRun(run.id, node.id, node.times);
    return halt.aborted ? stored !== undefined : tree.countExecution(stored);
  };

  const goesBack = (): boolean => isHandedBack || (slice.handBack.aborted && tree.hasProgressed());

  if (run.isNew) { for (const warning of warnings) logLine(tree, run, 'Warn', warning); }
  let candidates: Iterable<RunNode> = nodes;
  let isFullScan = true;
  const onHalt = () => wake();
  halt.addEventListener('abort', onHalt);
  while (!goesBack()) {
    const known: FinishedNodes = new Map();
    for (const node of candidates) {
      const state = readiness(node, known);
      if (state === 'ready' && mayStart(node)) start(node);
      else if (state === 'skip') skip(node);
      if (state === 'no' || !(slice.needsBreath() || tree.journal.isFull())) continue;
      slice.leave();
      await slice.breathe();
      if (tree.journal.isFull()) await tree.journal.flush().catch(() => isHandedBack = true);
      slice.enter();
      if (goesBack()) break;
    }
    if (completions.length === 0) {
      // A node may wait for one that will never run: only a look at all of them tells.
      if (!isFullScan) {
        isFullScan = true;
        candidates = nodes;
        continue;
      }
      if (halt.aborted || underWay.size === 0) break;
      slice.leave();
      await news();
      slice.enter();
    }
    const batch = completions;
    completions = [];
    const touched = new Set(batch.flatMap(apply));
    isFullScan = batch.some((completion) => 'error' in completion.outcome);
    candidates = isFullScan ? nodes : [...touched].sort((a, b) => a.index - b.index);
  }
  slice.leave();

  if (!halt.aborted && goesBack()) {
    // What can't begin again goes on to its end, which its own time limits bring; the rest gives way.
    while (underWay.size > 0) await news();
  }
  halt.removeEventListener('abort', onHalt);
  if (halt.aborted) {
    // SAFETY: whoever aborts it gives a Halt.
    await cancelUnderWay(halt.reason as Halt);
  } else if (goesBack()) {
    return { status: 'handed_back' };
  }
  const notRun = nodes.filter((node) => !node.hasStarted);
  return makeResult(notRun, flowOutputs, errors, halt.aborted ? halt.reason as Halt : undefined);
}

function makeResult(
  notRun: RunNode[],
  flowOutputs: Map<RunNode, Value[]>,
  errors: ErrorLine[],
  halt: Halt | undefined,
): RunResult {
  const output: ValueMap = Object.create(null);
  for (const [node, values] of flowOutputs) {
    const [first] = values;
    if (first !== undefined) output[flowOutputLabel(node)] = values.length > 1 ? { A: values } : first;
  }
  // In the order of the nodes, not of time: the same run gives the same lines.
  const lines = errors.sort((a, b) => a.node.index - b.node.index || a.times - b.times).map(({ line }) => line);
  if (halt?.status === 'failed') lines.unshift(halt.message);
  return {
    status: halt?.status ?? (lines.length > 0 ? 'failed' : 'succeeded'),
    output: { M: output },
    errors: lines.length > 0 ? lines.slice(0, MAX_ERROR_LINES) : null,
    not_run: notRun.map(({ id }) => id),
  };
}
