import type { Graph } from '../../../types/flow.ts';
import { jsonToValue, type Value, type ValueMap } from '../../../types/value.ts';
import { type Entry, makeRunGraph, type RunEdge, type RunNode } from './graph.ts';
import { formMember, formText, type LogLevel, NodeError, type NodeRegistry } from './node.ts';

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
  /** Milliseconds since 1970. */
  now: () => number;
}

/** How a run ended. */
export interface ExecuteResult {
  status: 'succeeded' | 'failed';
  output: { M: ValueMap };
  errors: string[] | null;
  not_run: string[];
}

type Outcome = { outputs: ValueMap } | { error: string };

interface Completion {
  node: RunNode;
  times: number;
  isElement: boolean;
  inputs: ValueMap;
  outcome: Outcome;
}

const runKey = (nodeId: string, times: number): string => `${nodeId}#${times}`;

/** Every required head of the node's edges holds a value. */
const isSatisfiedBy = (edge: RunEdge, head: Entry | undefined): boolean =>
  head === undefined ? false : head.value !== undefined || !edge.input.required;

/**
 * Runs a graph to its end.
 *
 * Each edge carries a queue of values; a node starts when each of its edges has one, or will never have one and needs none. Nodes
 * that become ready together start in the order of the flow's `nodes`. A failing node fails alone: who needs its outputs
 * does not run, the rest goes on.
 */
export async function executeGraph(options: ExecuteOptions): Promise<ExecuteResult> {
  const { inputs, registry, journal, now } = options;
  const { nodes, warnings } = makeRunGraph(options.graph, registry);
  const finished = new Map((options.finished ?? []).map((run) => [runKey(run.node_id, run.times), run]));
  const errors: string[] = [];
  const flowOutputs = new Map<RunNode, Value[]>();
  let completions: Completion[] = [];
  let running = 0;
  let wake = () => {};

  const timestamp = () => new Date(now()).toISOString();
  const log = (level: LogLevel, content: string, node?: { id: string; times: number; nodeId: string }) =>
    journal.logged({
      node_id: node?.id ?? null,
      times: node?.times ?? null,
      time: timestamp(),
      log_level: level,
      module: node?.nodeId ?? null,
      content,
    });

  /** The node will give no further output. Kept per scan: diamonds would ask the same again and again. */
  const isFinished = (node: RunNode, known: Map<RunNode, boolean>): boolean => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const answer = (): boolean => {
      if (node.isRunning) return false;
      if (node.incoming.length === 0) return node.times > 0;
      const missing = node.incoming.filter((edge) => edge.input.required && edge.queue[0]?.value === undefined);
      if (missing.length === 0) return node.times > 0 && !node.incoming.some((edge) => edge.queue[0]?.isElement);
      return missing.some((edge) => isFinished(edge.source, known));
    };
    const result = answer();
    known.set(node, result);
    return result;
  };

  /** Takes the iteration's entries out of the queues; entries from outside of loops stay for the next one. */
  const takeHeads = (node: RunNode): { values: ValueMap; isElement: boolean } => {
    const values: ValueMap = Object.create(null);
    let isElement = false;
    for (const edge of node.incoming) {
      const head = edge.queue[0];
      if (head === undefined) continue;
      if (head.value !== undefined) values[edge.input.name] = head.value;
      if (head.isElement) {
        isElement = true;
        edge.queue.shift();
      }
    }
    return { values, isElement };
  };

  const readiness = (node: RunNode, known: Map<RunNode, boolean>): 'ready' | 'skip' | 'no' => {
    if (node.isRunning) return 'no';
    if (node.incoming.length === 0) return node.times === 0 ? 'ready' : 'no';
    if (node.times > 0 && !node.incoming.some((edge) => edge.queue[0]?.isElement)) return 'no';
    let isSkipped = false;
    for (const edge of node.incoming) {
      const head = edge.queue[0];
      if (isSatisfiedBy(edge, head)) continue;
      if (head === undefined) {
        if (edge.input.required || !isFinished(edge.source, known)) return 'no';
      } else {
        isSkipped = true;
      }
    }
    if (!isSkipped) return 'ready';
    // One iteration of a loop lacks a required value: it is passed over, and the next keeps its place.
    return node.incoming.some((edge) => edge.queue[0]?.isElement) ? 'skip' : 'no';
  };

  /** Edge values, then form data for the inputs that got none. */
  const completeInputs = (node: RunNode, values: ValueMap): ValueMap => {
    if (node.module?.takesFlowInputs) return inputs;
    for (const { name } of node.ports.inputs) {
      if (values[name] !== undefined) continue;
      const preset = formMember(node.formData, name);
      if (preset !== undefined) values[name] = jsonToValue(preset);
    }
    return values;
  };

  const withPassthrough = (node: RunNode, given: ValueMap, outputs: ValueMap): ValueMap => {
    for (const { name, required, passthrough } of node.ports.inputs) {
      const value = given[name];
      if (!passthrough || value === undefined || (!required && 'N' in value)) continue;
      outputs[name] ??= value;
    }
    return outputs;
  };

  const settle = (node: RunNode, given: ValueMap, outputs: ValueMap): Outcome => {
    const complete = withPassthrough(node, given, outputs);
    const missing = node.ports.outputs.filter((port) => !port.optional && complete[port.name] === undefined);
    if (missing.length === 0) return { outputs: complete };
    return { error: `output not found: ${JSON.stringify(missing.map((port) => port.name))}` };
  };

  const toError = (error: unknown): Outcome => ({ error: error instanceof Error ? error.message : String(error) });

  const begin = (node: RunNode, call: { times: number; inputs: ValueMap }): Outcome | Promise<Outcome> => {
    try {
      if (node.module === undefined) throw new NodeError(`node_not_implemented: there is no node ${node.nodeId}`);
      if (node.wiringFault !== undefined) throw new NodeError(node.wiringFault);
      const outputs = node.module.run({
        inputs: call.inputs,
        formData: node.formData,
        log: (level, content) => log(level, content, { id: node.id, times: call.times, nodeId: node.nodeId }),
      });
      if (outputs instanceof Promise) return outputs.then((given) => settle(node, call.inputs, given), toError);
      return settle(node, call.inputs, outputs);
    } catch (error) {
      return toError(error);
    }
  };

  const start = (node: RunNode): void => {
    const { values, isElement } = takeHeads(node);
    const times = node.times++;
    const call = { times, inputs: completeInputs(node, values) };
    node.hasStarted = true;
    const complete = (outcome: Outcome) => completions.push({ node, times, isElement, inputs: call.inputs, outcome });

    const earlier = finished.get(runKey(node.id, times));
    if (earlier?.end_time) {
      complete(earlier.errors === null ? { outputs: earlier.output?.M ?? {} } : { error: earlier.errors.join('\n') });
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
    node.isRunning = true;
    running++;
    void outcome.then((settled) => {
      node.isRunning = false;
      running--;
      end(settled);
      wake();
    });
  };

  const skip = (node: RunNode): void => {
    const { isElement } = takeHeads(node);
    const times = node.times++;
    completions.push({ node, times, isElement, inputs: {}, outcome: { outputs: {} } });
  };

  const isOptionalOutput = (edge: RunEdge): boolean => {
    const port = edge.source.ports.outputs.find((output) => output.name === edge.sourcePort);
    if (port !== undefined) return port.optional;
    return !edge.source.ports.inputs.find((input) => input.name === edge.sourcePort)?.required;
  };

  /** Hands the outputs on; returns the nodes that may be ready now. */
  const apply = ({ node, times, isElement, outcome }: Completion): RunNode[] => {
    const outputs: ValueMap = 'outputs' in outcome ? outcome.outputs : {};
    if ('error' in outcome && errors.length < MAX_ERROR_LINES) {
      errors.push(`${node.title} ${node.id}${times > 0 || isElement ? `#${times}` : ''}: ${outcome.error}`);
    }
    for (const edge of node.outgoing) {
      const value = outputs[edge.sourcePort];
      // Inside a loop every iteration leaves an entry, so that the ones after it keep their places.
      if (value !== undefined || isElement || isOptionalOutput(edge)) edge.queue.push({ value, isElement });
    }
    if (node.module?.isFlowOutput && 'outputs' in outcome) {
      const value = outputs[flowOutputLabel(node)];
      if (value !== undefined) flowOutputs.set(node, [...flowOutputs.get(node) ?? [], value]);
    }
    return [node, ...node.outgoing.map((edge) => edge.target)];
  };

  for (const warning of warnings) log('Warn', warning);
  const order = new Map(nodes.map((node, index) => [node, index]));
  let candidates: Iterable<RunNode> = nodes;
  let isFullScan = true;
  for (;;) {
    const known = new Map<RunNode, boolean>();
    for (const node of candidates) {
      const state = readiness(node, known);
      if (state === 'ready') start(node);
      else if (state === 'skip') skip(node);
    }
    if (completions.length === 0) {
      // A node may wait for one that will never run: only a look at all of them tells.
      if (running === 0 && isFullScan) break;
      if (running > 0) await new Promise<void>((resolve) => wake = resolve);
    }
    const batch = completions;
    completions = [];
    isFullScan = batch.length === 0 || batch.some((completion) => 'error' in completion.outcome);
    const touched = new Set(batch.flatMap(apply));
    candidates = isFullScan ? nodes : [...touched].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  }

  const output: ValueMap = Object.create(null);
  for (const node of nodes) {
    const values = flowOutputs.get(node);
    const [first] = values ?? [];
    if (values !== undefined && first !== undefined) output[flowOutputLabel(node)] = node.times > 1 ? { A: values } : first;
  }
  return {
    status: errors.length > 0 ? 'failed' : 'succeeded',
    output: { M: output },
    errors: errors.length > 0 ? errors : null,
    not_run: nodes.filter((node) => !node.hasStarted).map((node) => node.id),
  };
}

const flowOutputLabel = (node: RunNode): string => formText(node.formData, 'label') ?? '';
