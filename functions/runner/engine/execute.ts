import type { Graph } from '../../../types/flow.ts';
import type { Value, ValueMap } from '../../../types/value.ts';
import { makeRunGraph, type RunNode } from './graph.ts';
import { formText, type LogLevel, NodeError, type NodeRegistry } from './node.ts';
import { completeInputs, isOptionalOutput, type Outcome, settle, toError } from './node_values.ts';
import { readiness, takeHeads } from './readiness.ts';

/** Error lines that a run keeps at most. */
const MAX_ERROR_LINES = 100;

/** One execution of a node, as node_run stores it. */
export interface NodeRun {
  node_id: string;
  times: number;
  start_time: string;
  end_time: string | null;
  input: { M: ValueMap };
  output: { M: ValueMap } | null;
  errors: string[] | null;
}

/** One log line, as flow_run_logs stores it. */
export interface LogLine {
  node_id: string | null;
  times: number | null;
  time: string;
  log_level: LogLevel;
  module: string | null;
  content: string;
}

/** Where an execution reports what happens, in order. */
export interface Journal {
  nodeEnded: (run: NodeRun) => void;
  logged: (line: LogLine) => void;
}

export interface ExecuteOptions {
  graph: Graph;
  inputs: ValueMap;
  registry: NodeRegistry;
  journal: Journal;
  /** What an earlier attempt finished: taken as it is, not run again. */
  finished?: NodeRun[];
  /** Aborted, with a StopRequest as its reason, when the run shall stop. */
  stop?: AbortSignal;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** How a run shall stop. */
export interface StopRequest {
  reason: string;
  /** Time that running nodes have to end by themselves. */
  graceMs: number;
}

/** How a run ended. */
export interface ExecuteResult {
  status: 'succeeded' | 'failed' | 'stopped';
  output: { M: ValueMap };
  errors: string[] | null;
  not_run: string[];
}

interface Completion {
  node: RunNode;
  times: number;
  isElement: boolean;
  outcome: Outcome;
}

const runKey = (nodeId: string, times: number): string => `${nodeId}#${times}`;

/**
 * Runs a graph to its end.
 *
 * Each edge carries a queue of values; a node starts when each of its edges has one, or will never have one and needs none. Nodes
 * that become ready together start in the order of the flow's `nodes`. A failing node fails alone: who needs its outputs
 * does not run, the rest goes on. After a stop no node starts; what runs is told, and recorded if it ends in time.
 */
export async function executeGraph(
  options: ExecuteOptions,
): Promise<ExecuteResult> {
  const { inputs, registry, journal, now } = options;
  const { nodes, warnings } = makeRunGraph(options.graph, registry);
  const finished = new Map(
    (options.finished ?? []).map((
      run,
    ) => [runKey(run.node_id, run.times), run]),
  );
  const errors: string[] = [];
  const flowOutputs = new Map<RunNode, Value[]>();
  let completions: Completion[] = [];
  let wake = () => {};
  const stop = options.stop ?? new AbortController().signal;
  const underWay = new Map<RunNode, (outcome: Outcome) => void>();

  const timestamp = () => new Date(now()).toISOString();
  const log = (
    level: LogLevel,
    content: string,
    node?: { id: string; times: number; nodeId: string },
  ) =>
    journal.logged({
      node_id: node?.id ?? null,
      times: node?.times ?? null,
      time: timestamp(),
      log_level: level,
      module: node?.nodeId ?? null,
      content,
    });

  const begin = (
    node: RunNode,
    call: { times: number; inputs: ValueMap },
  ): Outcome | Promise<Outcome> => {
    try {
      if (node.module === undefined) {
        throw new NodeError(
          `node_not_implemented: there is no node ${node.nodeId}`,
        );
      }
      if (node.wiringFault !== undefined) throw new NodeError(node.wiringFault);
      const outputs = node.module.run({
        inputs: call.inputs,
        formData: node.formData,
        signal: stop,
        log: (level, content) =>
          log(level, content, {
            id: node.id,
            times: call.times,
            nodeId: node.nodeId,
          }),
      });
      if (outputs instanceof Promise) {
        return outputs.then(
          (given) => settle(node, call.inputs, given),
          toError,
        );
      }
      return settle(node, call.inputs, outputs);
    } catch (error) {
      return toError(error);
    }
  };

  const start = (node: RunNode): void => {
    const { values, isElement } = takeHeads(node);
    const times = node.times++;
    const call = { times, inputs: completeInputs(node, values, inputs) };
    node.hasStarted = true;
    node.isRunning = true;
    const complete = (outcome: Outcome) => completions.push({ node, times, isElement, outcome });

    const earlier = finished.get(runKey(node.id, times));
    if (earlier?.end_time) {
      complete(
        earlier.errors === null ? { outputs: earlier.output?.M ?? {} } : { error: earlier.errors.join('\n') },
      );
      return;
    }
    const startTime = timestamp();
    const end = (outcome: Outcome) => {
      journal.nodeEnded({
        node_id: node.id,
        times,
        start_time: startTime,
        end_time: timestamp(),
        input: { M: call.inputs },
        output: 'outputs' in outcome ? { M: outcome.outputs } : null,
        errors: 'error' in outcome ? [outcome.error] : null,
      });
      complete(outcome);
    };
    const outcome = begin(node, call);
    if (!(outcome instanceof Promise)) return end(outcome);
    underWay.set(node, end);
    void outcome.then((settled) => {
      // Not under way any more: it was cancelled, and is recorded as that.
      if (!underWay.delete(node)) return;
      end(settled);
      wake();
    });
  };

  const skip = (node: RunNode): void => {
    const { isElement } = takeHeads(node);
    const times = node.times++;
    node.isRunning = true;
    completions.push({ node, times, isElement, outcome: { outputs: {} } });
  };

  /** Hands the outputs on; returns the nodes that may be ready now. */
  const apply = (
    { node, times, isElement, outcome }: Completion,
  ): RunNode[] => {
    const outputs: ValueMap = 'outputs' in outcome ? outcome.outputs : {};
    node.isRunning = false;
    if ('error' in outcome && errors.length < MAX_ERROR_LINES) {
      errors.push(
        `${node.title} ${node.id}${times > 0 || isElement ? `#${times}` : ''}: ${outcome.error}`,
      );
    }
    for (const edge of node.outgoing) {
      const value = outputs[edge.sourcePort];
      // Inside a loop every iteration leaves an entry, so that the ones after it keep their places.
      if (value !== undefined || isElement || isOptionalOutput(edge)) {
        edge.queue.push({ value, isElement });
      }
    }
    if (node.module?.isFlowOutput && 'outputs' in outcome) {
      const value = outputs[flowOutputLabel(node)];
      if (value !== undefined) {
        flowOutputs.set(node, [...flowOutputs.get(node) ?? [], value]);
      }
    }
    return [node, ...node.outgoing.map((edge) => edge.target)];
  };

  /** Waits for what runs as long as the request allows, and cancels the rest. */
  const stopUnderWay = async (): Promise<void> => {
    const { reason, graceMs } = stop.reason as StopRequest;
    const deadline = new Promise<'over'>((resolve) => setTimeout(() => resolve('over'), graceMs));
    while (underWay.size > 0) {
      if (await Promise.race([deadline, new Promise<void>((resolve) => wake = resolve)]) === 'over') break;
    }
    for (const [node, end] of underWay) {
      underWay.delete(node);
      end({ error: `canceled by user ${reason}`.trimEnd() });
    }
    completions.splice(0).forEach(apply);
  };

  for (const warning of warnings) log('Warn', warning);
  const order = new Map(nodes.map((node, index) => [node, index]));
  let candidates: Iterable<RunNode> = nodes;
  let isFullScan = true;
  stop.addEventListener('abort', () => wake());
  while (!stop.aborted) {
    const known = new Map<RunNode, boolean>();
    for (const node of candidates) {
      const state = readiness(node, known);
      if (state === 'ready') start(node);
      else if (state === 'skip') skip(node);
    }
    if (completions.length === 0) {
      // A node may wait for one that will never run: only a look at all of them tells.
      if (underWay.size === 0 && isFullScan) break;
      if (underWay.size > 0) {
        await new Promise<void>((resolve) => wake = resolve);
      }
    }
    const batch = completions;
    completions = [];
    isFullScan = batch.length === 0 ||
      batch.some((completion) => 'error' in completion.outcome);
    const touched = new Set(batch.flatMap(apply));
    candidates = isFullScan ? nodes : [...touched].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  }

  if (stop.aborted) await stopUnderWay();

  const output: ValueMap = Object.create(null);
  for (const node of nodes) {
    const values = flowOutputs.get(node);
    const [first] = values ?? [];
    if (values !== undefined && first !== undefined) {
      output[flowOutputLabel(node)] = node.times > 1 ? { A: values } : first;
    }
  }
  return {
    status: stop.aborted ? 'stopped' : errors.length > 0 ? 'failed' : 'succeeded',
    output: { M: output },
    errors: errors.length > 0 ? errors : null,
    not_run: nodes.filter((node) => !node.hasStarted).map((node) => node.id),
  };
}

const flowOutputLabel = (node: RunNode): string => formText(node.formData, 'label') ?? '';
