import { base58 } from '@scure/base';
import type { Graph } from '../../types/flow.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { type Recorded, ROOT_RUN_ID } from './execute_flow.ts';
import type { FlowBuilder } from './flow_builder.ts';

/** Shows bytes as text if they are text, and in base58 otherwise. */
function showBytes(text: string): string {
  const decoded = new TextDecoder().decode(base58.decode(text)).trimEnd();
  return /^[ -~]+$/.test(decoded) ? decoded : text;
}

/**
 * Shows a value for readers. `1` has the tag D, `1u` has U, `1i` has I, and `1f` has F. Other tags are written before
 * the value, as in `B3:…`.
 */
function showValue(value: Value): string {
  if ('N' in value) return 'null';
  if ('S' in value) return JSON.stringify(value.S);
  if ('B' in value) return String(value.B);
  if ('D' in value) return value.D;
  if ('A' in value) return `[${value.A.map(showValue).join(', ')}]`;
  if ('B6' in value) return `B6:${showBytes(value.B6)}`;
  if ('M' in value) return `{${showMap(value.M)}}`;
  const [[tag, payload]] = Object.entries(value) as [[string, string]];
  return tag.length === 1 ? `${payload}${tag.toLowerCase()}` : `${tag}:${payload}`;
}

/** Shows values by name, in the order of the names. */
export const showMap = (map: ValueMap): string =>
  Object.keys(map).toSorted().map((name) => `${name}=${showValue(map[name]!)}`).join(' ');

const shorten = (line: string) => line.length > 400 ? `${line.slice(0, 100)} … ${line.slice(-200)}` : line;

/** A run's result for readers: nodes are named by their titles, whatever their ids are. */
export interface ShownRun {
  status: string;
  output: string;
  errors: string[];
  notRun: string[];
  /**
   * The executions in the order of the flow and of iterations, not of time. Examples: `Text#0 stringify=1 →
   * result="1"`, `Breaks#2 ✗ message`, `Call#0 > Text#0 …`.
   */
  runs: string[];
  logs: string[];
}

interface Result {
  status: string;
  output: { M: ValueMap };
  errors: string[] | null;
  not_run: string[];
}

/** Shows the result of a run of `flow`. `flows` are the flows that it calls. */
export function showRun(
  flow: FlowBuilder,
  flows: { [flowId: string]: FlowBuilder },
  result: Result,
  { nodeRuns, children, logs }: Recorded,
): ShownRun {
  const graphs = new Map<string, Graph>([[ROOT_RUN_ID, flow.graph()]]);
  for (const child of children) graphs.set(child.id, flows[child.flow_id]!.graph());
  const nodeOf = (runId: string, nodeId: string) => {
    const index = graphs.get(runId)!.nodes.findIndex((node) => node.id === nodeId);
    const { data } = graphs.get(runId)!.nodes[index]!;
    return { index, title: data.display_name ?? data.node_id };
  };
  /** Returns the position of an execution in the tree of runs: numbers for sorting, and a text for readers. */
  const place = (runId: string, nodeId: string, times: number): { order: number[]; text: string } => {
    const { index, title } = nodeOf(runId, nodeId);
    const own = `${title}#${times}`;
    const child = children.find((row) => row.id === runId);
    if (child === undefined) return { order: [index, times], text: own };
    const parent = place(child.parent_flow_run_id, child.parent_node_id, child.parent_times);
    return { order: [...parent.order, index, times], text: `${parent.text} > ${own}` };
  };
  const withoutIds = (line: string) => line.replaceAll(/ [0-9a-f]{8}-[0-9a-f-]{27}/g, '');

  const runs = nodeRuns.map((run) => {
    const { order, text } = place(run.flow_run_id, run.node_id, run.times);
    const input = showMap(run.input.M);
    const output = run.output === null ? '' : `→ ${showMap(run.output.M)}`;
    const error = run.end_time !== null && run.errors === null
      ? ''
      : `${run.error_handled ? '⤷' : '✗'} ${run.errors?.join() ?? 'not ended'}`;
    return { order, text: shorten([text, input, output, error].filter((part) => part !== '').join(' ').trimEnd()) };
  });
  return {
    status: result.status,
    output: showMap(result.output.M),
    errors: (result.errors ?? []).map(withoutIds),
    notRun: result.not_run.map((id) => nodeOf(ROOT_RUN_ID, id).title),
    runs: runs.toSorted((a, b) => compareOrders(a.order, b.order)).map(({ text }) => text),
    logs: logs.map(({ flow_run_id, node_id, times, log_level, content }) => {
      const from = node_id === null ? '' : ` ${place(flow_run_id, node_id, times ?? 0).text}`;
      return `${log_level}${from}: ${withoutIds(content)}`;
    }),
  };
}

/** Compares positions. A caller comes before its called runs; the rest is ordered by node and iteration. */
function compareOrders(a: number[], b: number[]): number {
  const index = a.findIndex((number, at) => number !== b[at]);
  return index === -1 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}
