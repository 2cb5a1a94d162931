import { codedError } from '../../../types/run_errors.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { ERROR_OUTPUT } from './node_ports.ts';
import { type Feed, makeFeed } from './feed.ts';
import type { RunEdge, RunGraph, RunNode } from './graph.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import type { Loops } from './loops.ts';
import type { PartialRun } from './partial_run.ts';

const without = (edges: RunEdge[], removed: ReadonlySet<RunEdge>): RunEdge[] =>
  edges.filter((edge) => !removed.has(edge));

/** Sets the inputs for which the start gives values, and removes the edges into these inputs. */
export function setInlineInputs(nodes: ReadonlyMap<string, RunNode>, { onlyNodes, inline }: PartialRun): void {
  for (const [nodeId, values] of Object.entries(inline)) {
    const node = nodes.get(nodeId);
    if (node === undefined || !onlyNodes.has(nodeId)) continue;
    const unknown = Object.keys(values).find((name) => !node.inputNames.includes(name));
    if (unknown !== undefined) node.fault ??= `there is no input ${JSON.stringify(unknown)} for the given value`;
    Object.assign(node.presets, values);
    const replaced = new Set(node.incoming.filter(({ input }) => Object.hasOwn(values, input.name)));
    node.incoming = without(node.incoming, replaced);
    for (const { source } of replaced) source.outgoing = without(source.outgoing, replaced);
  }
}

/** Makes the row of a finished execution from outputs that the start gives. */
const givenExecution = (node_id: string, values: ValueMap): StoredNodeRun => ({
  flow_run_id: '',
  node_id,
  times: 0,
  attempt: 1,
  retry_at: null,
  start_time: '',
  end_time: '',
  output: { M: values },
  errors: null,
});

interface CutOptions {
  partial: PartialRun;
  /** The loops of the whole graph. */
  loops: Loops;
  /** The inputs of the start. */
  inputs: ValueMap;
}

/**
 * Makes the feed of a node that does not run. If the start gives values for some outputs of the node, the feed has only
 * these values. They belong to no element of a loop. Otherwise the feed has the stored executions.
 */
function feedOf(node: RunNode, { partial, loops, inputs }: CutOptions): Feed {
  const given = partial.inline[node.id] ?? startInput(node, inputs);
  return given === undefined
    ? makeFeed(partial.executions(node.id), loops.surely.has(node))
    : makeFeed(new Map([[0, givenExecution(node.id, given)]]), false);
}

/** Returns the value that the start gives to a flow input; undefined for other nodes. */
function startInput({ module, outputNames: [label = ''] }: RunNode, inputs: ValueMap): ValueMap | undefined {
  const value = module?.takesFlowInputs ? inputs[label] : undefined;
  return value && { [label]: value };
}

/** Returns the reason why an edge from a fed node brings no value. Returns undefined if it may bring one. */
function lackAlong(edge: RunEdge, feed: Feed, { inline, runs }: PartialRun): string | undefined {
  const { source, sourcePort, isError, isPassthrough, target, input } = edge;
  if (target.module?.collects && feed.executions.size > 0) return undefined;
  // A passthrough edge has no value if the passed input had none. Then a target whose input is optional still runs.
  if (isPassthrough && !input.required && feed.executions.size > 0) return undefined;
  if (isError ? feed.hasError : feed.given.has(sourcePort)) return undefined;
  const output = `output ${JSON.stringify(isError ? ERROR_OUTPUT : sourcePort)} of ${source.title} ${source.id}`;
  const given = Object.hasOwn(inline, source.id) ? 'values_config.inline' : runs[source.id] && `run ${runs[source.id]}`;
  const reason = given === undefined ? `no run is named for ${output}` : `${given} has no ${output}`;
  return codedError('value_missing', `no value for input ${JSON.stringify(input.name)}: ${reason}`);
}

/** Returns the reason why a node that gathers the elements of a loop lacks one of them. */
function lackOfElement({ source, target, input }: RunEdge, { runs }: PartialRun): string | undefined {
  if (!target.module?.collects || target.leavesOutFailed || !source.feed?.hasFailed) return undefined;
  const reason = `${source.title} ${source.id} failed for an element in run ${runs[source.id]}`;
  return codedError('value_missing', `no value for input ${JSON.stringify(input.name)}: ${reason}`);
}

/** If a selected node needs a value that no fed node has, the node gets the reason and fails with it. */
function tellLacks({ incoming, needsOneValue, fault }: RunNode, partial: PartialRun): void {
  const lacks = incoming.map((edge) => edge.source.feed && lackAlong(edge, edge.source.feed, partial));
  const lacksAll = needsOneValue && lacks.every((lack) => lack !== undefined);
  for (const [index, edge] of incoming.entries()) {
    const lack = lackOfElement(edge, partial) ?? (lacksAll || edge.need === 'value' ? lacks[index] : undefined);
    if (lack === undefined) continue;
    edge.queue.push({ value: undefined, absence: undefined, fault: fault ?? lack, isElement: false });
  }
}

/**
 * Reduces a graph to the selected nodes and the sources of their edges. The sources are fed and do not run. If an input
 * needs a value and gets none, its node fails.
 */
export function cutGraph(whole: RunGraph, options: CutOptions): RunGraph {
  const { partial } = options;
  const isSelected = ({ id }: RunNode): boolean => partial.onlyNodes.has(id);
  const nodes = whole.nodes.filter((node) =>
    isSelected(node) || node.outgoing.some(({ target }) => isSelected(target))
  );
  for (const node of nodes) {
    node.outgoing = node.outgoing.filter(({ target }) => isSelected(target));
    if (isSelected(node)) continue;
    node.feed = feedOf(node, options);
    node.incoming = [];
  }
  for (const node of nodes) {
    if (node.feed === undefined) tellLacks(node, partial);
  }
  // The module of a fed node is removed. Otherwise the engine would treat the node as an instruction node, a collecting
  // node or an output of the flow.
  for (const node of nodes) if (node.feed !== undefined) node.module = undefined;
  return { nodes, warnings: [...whole.warnings, ...unusedValues(whole.nodes, partial)] };
}

/** Makes warnings about values of the start that no node uses. */
function unusedValues(nodes: readonly RunNode[], { onlyNodes, inline }: PartialRun): string[] {
  return nodes.filter(({ id }) => !onlyNodes.has(id)).flatMap(({ id, title, feed, outgoing }) =>
    Object.keys(inline[id] ?? {})
      .filter((port) => feed === undefined || !outgoing.some(({ sourcePort }) => sourcePort === port))
      .map((port) =>
        `the given output ${JSON.stringify(port)} of ${title} ${id} is not used: no node that runs takes it`
      )
  );
}
