import type { Graph, Snapshot } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { makeRunGraph, type RunNode } from '../../engine/graph/graph.ts';
import { formText, type NodeRegistry } from '../../engine/node.ts';

/** The flows and node modules in which the origin of a key is searched. */
interface Flows {
  snapshot: Snapshot;
  registry: NodeRegistry;
}

/** The calls that lead to a node: the inputs of its flow, and the node that called that flow. */
interface CallPath {
  inputs: ValueMap;
  caller?: { node: RunNode; run: CallPath };
}

/**
 * The most steps of one search. No real flow passes a key through so many nodes, but flows may call themselves without
 * end.
 */
const MAX_STEPS = 1_000;

/**
 * The flow outputs of searched graphs, by label. They are cached, because a large flow may be searched for many keys.
 */
const knownOutputs = new WeakMap<Graph, ReadonlyMap<string, RunNode>>();

function flowOutputs(graph: Graph, registry: NodeRegistry): ReadonlyMap<string, RunNode> {
  const known = knownOutputs.get(graph);
  if (known !== undefined) return known;
  const { nodes } = makeRunGraph(graph, registry);
  const outputs = new Map(
    nodes.filter(({ module }) => module?.isFlowOutput).flatMap((node) =>
      node.inputNames.map((name) => [name, node] as const)
    ),
  );
  knownOutputs.set(graph, outputs);
  return outputs;
}

/** True if the input may get a value from an edge or from the node's form. */
const hasValueFor = ({ incoming, presets }: RunNode, name: string): boolean =>
  presets[name] !== undefined || incoming.some(({ input }) => input.name === name);

/**
 * True if the keys in an input come only from values that the flow's author wrote. These values may come along edges
 * and through called flows. False if a key comes from an input of the start, a script, or anything read from outside. A
 * stored key may sign only if the function returns true. Without this rule, a caller could name the key of the owner's
 * wallet in an input, and so make the wallet sign. Source: docs/reference/transactions.md, "Whose key signs".
 */
export function isKeyNamedByFlow(flows: Flows, node: RunNode, inputName: string, nodePath: CallPath): boolean {
  let steps = 0;

  const isInputNamed = (at: RunNode, name: string, path: CallPath): boolean => {
    if (++steps > MAX_STEPS) return false;
    const edge = at.incoming.find(({ input }) => input.name === name);
    if (edge === undefined) return at.presets[name] !== undefined;
    return isOutputNamed(edge.source, edge.sourcePort, path);
  };

  const isOutputNamed = (source: RunNode, port: string, path: CallPath): boolean => {
    const { module } = source;
    if (module === undefined) return false;
    if (module.namesKeys) return true;
    if (module.takesFlowInputs) return isFlowInputNamed(port, path);
    if (module.handsOnKeysOf !== undefined) {
      const given = [module.handsOnKeysOf].flat().filter((name) => hasValueFor(source, name));
      return given.length > 0 && given.every((name) => isInputNamed(source, name, path));
    }
    const isHandedOn = source.ports.inputs.some(({ name, passthrough }) => passthrough && name === port);
    // If the called flow gives no such output, the node passes on its own input of this name. Therefore both must hold
    // keys that the flow names: the called flow's output, and that input.
    if (module.calledFlow !== undefined) {
      return isResultNamed(source, port, path) && (!isHandedOn || isInputNamed(source, port, path));
    }
    // The flow's JSON may declare an output of the same name as the input. Then the node itself makes the value, so the
    // flow does not name its keys.
    if (module.takesPortsFromFlow !== undefined && source.outputNames.includes(port)) return false;
    return isHandedOn && isInputNamed(source, port, path);
  };

  const isFlowInputNamed = (label: string, { inputs, caller }: CallPath): boolean => {
    // An input without a value has its default, which the flow's author wrote.
    if (inputs[label] === undefined) return true;
    return caller !== undefined && isInputNamed(caller.node, label, caller.run);
  };

  const isResultNamed = (called: RunNode, label: string, path: CallPath): boolean => {
    const graph = flows.snapshot.flows[called.module?.calledFlow?.(called.formData) ?? ''];
    if (graph === undefined) return false;
    const output = flowOutputs(graph, flows.registry).get(label);
    // The values of the called flow's inputs are unknown here, so only their sources are judged.
    const inputs = Object.fromEntries(called.inputNames.map((name) => [name, { N: 0 as const }]));
    return output !== undefined && isInputNamed(output, label, { inputs, caller: { node: called, run: path } });
  };

  return isInputNamed(node, inputName, nodePath);
}

/** Returns the keys that the wallet nodes of all flows name. */
export function keysOfWallets({ snapshot, registry }: Flows): ReadonlySet<string> {
  const graphs: Graph[] = [snapshot.entry, ...Object.values(snapshot.flows)];
  return new Set(graphs.flatMap(({ nodes }) =>
    nodes.flatMap(({ data }) => {
      const namesKeys = registry(data)?.namesKeys;
      return namesKeys ? formText(data.targets_form.form_data, 'public_key') ?? [] : [];
    })
  ));
}
