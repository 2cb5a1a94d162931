import type { Graph, SnapshotEdge, SnapshotNode } from '../../../types/flow.ts';
import type { Effects } from '../../../types/node_definition.ts';
import { fromWireJson } from '../../../types/values/json/wire_json.ts';
import { type LosslessJson, ValueError, type ValueMap } from '../../../types/values/value.ts';
import {
  type AnyModule,
  type CalledEffects,
  formMember,
  type InputPort,
  type NodePorts,
  type NodeRegistry,
  type PortTypes,
  publishedEffects,
} from '../node.ts';
import { ERROR_OUTPUT, hasErrorOutput, portsOf } from './node_ports.ts';
import { readRetryPolicy, type RetryPolicy } from './retry_policy.ts';
import { type Absence, EntryQueue } from './entry_queue.ts';
import type { Feed } from './feed.ts';

/** An edge between two nodes of a run, with its queue. */
export interface RunEdge {
  source: RunNode;
  /** The name of the output. For a passthrough edge, the name of the source's input. */
  sourcePort: string;
  /**
   * True if the source may succeed without a value for this edge. Then the target is notified, so that it does not wait
   * for ever.
   */
  isOptional: boolean;
  /** True if the edge is a passthrough: it carries the value of an input of the source. */
  isPassthrough: boolean;
  /** True if the edge carries the error of a failure that the flow handles. */
  isError: boolean;
  /** True if the edge carries an array whose elements each become the value of one iteration. */
  isSpread: boolean;
  /** The expression that converts each value for the target. If undefined, the target gets the value itself. */
  expression: string | undefined;
  /** The place of the edge in the flow, for errors. */
  index: number;
  target: RunNode;
  input: InputPort;
  /** What the target needs of this edge before it runs. */
  need: Need;
  queue: EntryQueue;
}

/**
 * What a node needs of one of its edges:
 *
 * - `value`: a value. Either the input is required, or the node has effects and must not act without the value.
 * - `no_failure`: a value, or an absence that no failure has caused.
 * - `nothing`: the node also runs without the value.
 */
type Need = 'value' | 'no_failure' | 'nothing';

/** A node of a run with its wiring and state. */
export interface RunNode {
  id: string;
  /** The name of the node in error lines: the node's name in the editor, or else the id of its kind. */
  title: string;
  nodeId: string;
  type: SnapshotNode['data']['type'];
  /** Undefined if the runner can't execute the node. Then the node fails when it starts. */
  module: AnyModule | undefined;
  ports: NodePorts;
  inputNames: string[];
  /** The names of the outputs, without the error output. */
  outputNames: string[];
  /** True if a failure of the node becomes its output `error`. */
  hasErrorOutput: boolean;
  portTypes: PortTypes | undefined;
  formData: LosslessJson;
  /** Undefined if the node is tried only once. */
  retry: RetryPolicy | undefined;
  /** Undefined if attempts have no time limit. */
  timeoutMs: number | undefined;
  /** The values that form data has for inputs. */
  presets: ValueMap;
  incoming: RunEdge[];
  outgoing: RunEdge[];
  /** True if none of the node's edges is needed, but one of them must bring a value. */
  needsOneValue: boolean;
  /** True if the node gathers the elements of a loop although others have failed. */
  leavesOutFailed: boolean;
  /** The index of the node in the flow's `nodes`. Mock nodes are not counted. Nodes start in this order. */
  index: number;
  /**
   * The number of executions so far, including skipped iterations of a loop. The next execution gets this number as its
   * `times`.
   */
  times: number;
  /** True from the node's start until the next nodes have its outputs. */
  isRunning: boolean;
  /** The reason why the latest execution left outputs without a value. */
  absence: Exclude<Absence, 'not_handed_on'>;
  /** True if the node was started at least once. */
  hasStarted: boolean;
  /**
   * Set only for a node that does not run. It has the executions of the node in another run. Their outputs are used
   * instead.
   */
  feed?: Feed;
  /**
   * The error with which the node fails at its start. For example, an edge names a port that the node lacks, or a form
   * field is not a value.
   */
  fault: string | undefined;
}

/** Tests whether a node makes instructions. The executions of such a node end when their instructions are settled. */
export const isInstructionNode = ({ module }: RunNode): boolean =>
  module !== undefined && 'buildInstructions' in module;

/** A graph that is ready to run, with warnings about edges that were dropped. */
export interface RunGraph {
  /** The nodes in the order of the flow's `nodes`. Nodes start in this order. */
  nodes: RunNode[];
  warnings: string[];
}

/** The types of the ports that the flow's own JSON declares. */
const flowPortTypes = (data: SnapshotNode['data']): PortTypes => ({
  inputs: data.targets.map(({ type_bounds }) => type_bounds),
  outputs: data.sources.filter(({ name }) => name !== ERROR_OUTPUT || !hasErrorOutput(data))
    .map(({ type }) => type ?? 'free'),
});

/** Reads the values that form data has for inputs. If one of them is not a value, `fault` is its error. */
export function readPresets(
  inputs: readonly Pick<InputPort, 'name'>[],
  formData: LosslessJson,
): Pick<RunNode, 'presets' | 'fault'> {
  const presets: ValueMap = Object.create(null);
  try {
    for (const { name } of inputs) {
      const preset = formMember(formData, name);
      if (preset !== undefined) presets[name] = fromWireJson(preset, ['form_data', name]);
    }
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return { presets, fault: error.message };
  }
  return { presets, fault: undefined };
}

/** Returns the time limit of an attempt: the flow's or the node's own, whichever is less. */
function timeoutOf({ timeout_ms }: SnapshotNode['data'], own: number | undefined): number | undefined {
  const given = timeout_ms == null ? undefined : Number(String(timeout_ms));
  return given === undefined || own === undefined ? given ?? own : Math.min(given, own);
}

/** Makes a node of a run, without its edges. */
export function makeNode({ id, data }: SnapshotNode, index: number, registry: NodeRegistry): RunNode {
  const module = registry(data);
  const formData = data.targets_form.form_data;
  const ports = portsOf(module, data);
  return {
    id,
    // The editor may save any JSON as the name. Only a non-empty text counts as a name.
    title: typeof data.display_name === 'string' && data.display_name !== '' ? data.display_name : data.node_id,
    nodeId: data.node_id,
    type: data.type,
    module,
    ports,
    inputNames: ports.inputs.map(({ name }) => name),
    outputNames: ports.outputs.map(({ name }) => name),
    hasErrorOutput: hasErrorOutput(data),
    portTypes: module?.takesPortsFromFlow === true ? flowPortTypes(data) : undefined,
    formData,
    retry: readRetryPolicy(data),
    timeoutMs: timeoutOf(data, module?.timeLimitMs?.(formData)),
    ...readPresets(ports.inputs, formData),
    incoming: [],
    outgoing: [],
    needsOneValue: false,
    leavesOutFailed: module?.leavesOutFailed?.(formData) ?? false,
    index,
    times: 0,
    isRunning: false,
    absence: 'unset',
    hasStarted: false,
  };
}

const listNames = (names: string[]): string =>
  names.length === 0 ? 'and the node has none' : `only ${names.join(', ')}`;

const PASSTHROUGH = 'passthrough-';

/** The expression of an edge. An empty expression of an editor counts as none. */
const expressionOf = ({ data }: SnapshotEdge): string | undefined => data?.expression || undefined;

/** The output that has a value only after a failure. */
const ERROR_PORT = { name: ERROR_OUTPUT, optional: true };

/** A node that calls flows or described nodes, or none. */
export type CallingNode = Pick<RunNode, 'module' | 'formData'>;

/** Returns the greatest effects of the flows and described nodes that a node calls. Only effects of this kind count. */
export type EffectsOfCalledFlow = (node: CallingNode, kind: CalledEffects) => Effects;

/**
 * Returns the greatest effects that an execution of the node may have outside the run. To ask a person counts as an
 * effect. Answers from the graph alone, before the values of the node's edges are known.
 */
export function greatestEffects(
  node: RunNode,
  effectsOfCalledFlow: EffectsOfCalledFlow,
): Effects {
  const { module, incoming, presets } = node;
  if (module === undefined) return 'none';
  if (module.asksForInput) return 'once';
  if (module.effectsOfCalledFlow !== undefined) return effectsOfCalledFlow(node, module.effectsOfCalledFlow);
  const deciding = module.effectsByInput;
  const isDecided = deciding !== undefined && !incoming.some(({ input }) => input.name === deciding.name);
  return isDecided ? deciding.effectsOf(presets) : publishedEffects(module);
}

/** Tests whether an execution of the node may change something outside the run, as `greatestEffects` answers. */
export const hasEffects = (node: RunNode, effectsOfCalledFlow: EffectsOfCalledFlow): boolean =>
  greatestEffects(node, effectsOfCalledFlow) !== 'none';

/**
 * Wires a frozen graph. An edge names the ports at its ends by handles. A handle is looked up
 * in the whole flow and stands for one port, even if copies of a node share it. An edge with an unknown handle is dropped with a warning. If an edge leads to a port that its node lacks, the node fails.
 * Mock nodes and edges into them are dropped.
 */
export function makeRunGraph(
  graph: Graph,
  registry: NodeRegistry,
  effectsOfCalledFlow: EffectsOfCalledFlow = () => 'none',
  /** Changes inputs of nodes before their effects are determined. */
  setInputs: (nodes: ReadonlyMap<string, RunNode>) => void = () => {},
): RunGraph {
  const kept = graph.nodes.filter((node) => node.data.type !== 'mock');
  const nodes = new Map(
    kept.map((node, index) => [node.id, makeNode(node, index, registry)]),
  );
  const targetNames = new Map(
    kept.flatMap((node) => node.data.targets.map((port) => [port.id, port.name] as const)),
  );
  const sourceNames = new Map(
    kept.flatMap((node) => node.data.sources.map((port) => [port.id, port.name] as const)),
  );
  const warnings: string[] = [];
  // Maps are used, because a node may have thousands of ports. If two ports have one name, the first counts.
  const inputsOf = byName((node) => node.ports.inputs);
  const outputsOf = byName((node) => node.ports.outputs);

  for (const [index, edge] of graph.edges.entries()) {
    const source = nodes.get(edge.source);
    const target = nodes.get(edge.target);
    if (source === undefined || target === undefined) continue;
    const [sourceHandle, targetHandle] = [edge.sourceHandle, edge.targetHandle].map((handle) =>
      typeof handle === 'string' ? handle : undefined
    );
    const isPassthrough = sourceHandle?.startsWith(PASSTHROUGH) ?? false;
    const sourceName = isPassthrough
      ? targetNames.get(sourceHandle?.slice(PASSTHROUGH.length) ?? '')
      : sourceNames.get(sourceHandle ?? '');
    const targetName = targetNames.get(targetHandle ?? '');
    if (sourceName === undefined || targetName === undefined) {
      const handle = sourceName === undefined ? edge.sourceHandle : edge.targetHandle;
      warnings.push(
        `edges[${index}] from ${edge.source} to ${edge.target} is left out: no port has the id ${handle}`,
      );
      continue;
    }
    const sourcePort = wiredName(source, sourceName, 'output');
    const targetPort = wiredName(target, targetName, 'input');
    const input = inputsOf(target).get(targetPort);
    if (input === undefined) {
      target.fault ??= `there is no input ${JSON.stringify(targetPort)}, ${listNames(target.inputNames)}`;
    }
    const passed = isPassthrough ? inputsOf(source).get(sourcePort) : undefined;
    const handedOn = passed?.passthrough ? passed : undefined;
    const isError = !isPassthrough && source.hasErrorOutput && sourcePort === ERROR_OUTPUT;
    const output = isError ? ERROR_PORT : isPassthrough ? undefined : outputsOf(source).get(sourcePort);
    if (handedOn === undefined && output === undefined) {
      source.fault ??= isPassthrough
        ? `the input ${JSON.stringify(sourcePort)} is not handed on`
        : `there is no output ${JSON.stringify(sourcePort)}, ${listNames(source.outputNames)}`;
    }
    const runEdge: RunEdge = {
      source,
      sourcePort,
      isOptional: output?.optional ?? (handedOn !== undefined && !handedOn.required),
      isPassthrough,
      isError,
      isSpread: output !== undefined && !isError && source.module?.spreads === true,
      expression: expressionOf(edge),
      index,
      target,
      input: input ?? {
        name: targetPort,
        required: true,
        whenAbsent: undefined,
        passthrough: false,
        wantsPublicKey: false,
        types: [],
      },
      need: needOf(input),
      queue: new EntryQueue(),
    };
    source.outgoing.push(runEdge);
    target.incoming.push(runEdge);
  }
  setInputs(nodes);
  for (const node of nodes.values()) setNeeds(node, effectsOfCalledFlow);
  return { nodes: [...nodes.values()], warnings };
}

/** What a node without effects needs of an edge into this input. */
function needOf(input: InputPort | undefined): Need {
  if (input === undefined || input.required) return 'value';
  return input.whenAbsent === 'run_unless_failed' ? 'no_failure' : 'nothing';
}

/** Sets what the node needs of its edges, apart from the values of required inputs. */
function setNeeds(node: RunNode, effectsOfCalledFlow: EffectsOfCalledFlow): void {
  const { incoming, module, presets } = node;
  const undecided = incoming.filter(({ need, input }) => need === 'nothing' && input.whenAbsent === undefined);
  if (undecided.length === 0 || module?.collects) return;
  if (hasEffects(node, effectsOfCalledFlow)) {
    for (const edge of undecided) edge.need = 'value';
  } else {
    const hasFormValue = module?.runsOnFormValue === true && Object.keys(presets).length > 0;
    node.needsOneValue = undecided.length === incoming.length && !hasFormValue;
  }
}

/** Looks ports up by name, and reads each node's ports once. */
function byName<Port extends { name: string }>(list: (node: RunNode) => Port[]): (node: RunNode) => Map<string, Port> {
  const known = new Map<RunNode, Map<string, Port>>();
  return (node) => {
    let ports = known.get(node);
    if (ports === undefined) known.set(node, ports = new Map(list(node).toReversed().map((port) => [port.name, port])));
    return ports;
  };
}

/**
 * Returns the name of the port at which an edge ends. If the node has a labelled port on this side, returns the label
 * instead of the name in the flow's JSON.
 */
function wiredName(
  node: RunNode,
  name: string,
  side: 'input' | 'output',
): string {
  if (node.module?.labelledSide !== side) return name;
  const [port] = side === 'input' ? node.ports.inputs : node.ports.outputs;
  return port?.name ?? name;
}
