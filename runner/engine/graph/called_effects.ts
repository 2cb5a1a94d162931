import type { Graph, Snapshot } from '../../../types/flow.ts';
import type { Effects } from '../../../types/node_definition.ts';
import { flowIdOf } from './called_flow.ts';
import {
  type CallingNode,
  type EffectsOfCalledFlow,
  greatestEffects,
  isInstructionNode,
  makeRunGraph,
  type RunNode,
} from './graph.ts';
import { type CalledEffects, formMember, type NodeRegistry, publishedEffects } from '../node.ts';

/** Flows by the effects that they have. */
type FlowsBy<Flows> = { [effects in Exclude<Effects, 'none'>]: Flows };

/** The flows that have effects, either of their own or because they call flows with effects. */
type FlowsWithEffects = { [kind in CalledEffects]: FlowsBy<ReadonlySet<number>> };

/** Returns the ids of the called flows. If the form data names no flow, there are none: the node fails when it runs. */
function calledFlowsOf({ module, formData }: CallingNode): readonly number[] {
  if (module?.calledFlows !== undefined) return module.calledFlows(formData);
  const id = flowIdOf(formMember(formData, 'id'));
  return id === undefined ? [] : [id];
}

const greatestOf = (all: readonly Effects[]): Effects =>
  all.includes('once') ? 'once' : all.includes('idempotent') ? 'idempotent' : 'none';

/** Returns the greatest effects of the described nodes that a node calls. */
const effectsOfCalledNodes = ({ module, formData }: CallingNode, registry: NodeRegistry): Effects =>
  greatestOf((module?.calledNodes?.(formData) ?? []).flatMap((kind) => {
    const called = registry(kind);
    return called === undefined ? [] : publishedEffects(called);
  }));

const callsAFlow = ({ module }: RunNode): boolean => module?.effectsOfCalledFlow !== undefined;

/** Returns these flows with all their direct and indirect callers. Flows may call each other in circles. */
function withCallers(flowIds: readonly number[], callersOf: ReadonlyMap<number, number[]>): Set<number> {
  const all = new Set(flowIds);
  for (const flowId of all) {
    for (const caller of callersOf.get(flowId) ?? []) all.add(caller);
  }
  return all;
}

function findFlowsWithEffects(flows: { [flowId: string]: Graph }, registry: NodeRegistry): FlowsWithEffects {
  const own: { [kind in CalledEffects]: FlowsBy<number[]> } = {
    all: { once: [], idempotent: [] },
    without_instructions: { once: [], idempotent: [] },
  };
  const callersOf = new Map<number, number[]>();
  for (const [id, graph] of Object.entries(flows)) {
    const flowId = Number(id);
    const { nodes } = makeRunGraph(graph, registry);
    for (const called of nodes.filter(callsAFlow).flatMap(calledFlowsOf)) {
      const callers = callersOf.get(called);
      if (callers === undefined) callersOf.set(called, [flowId]);
      else callers.push(flowId);
    }
    for (const node of nodes) {
      const effects = greatestEffects(node, (calling) => effectsOfCalledNodes(calling, registry));
      if (effects === 'none') continue;
      own.all[effects].push(flowId);
      if (!isInstructionNode(node)) own.without_instructions[effects].push(flowId);
    }
  }
  const ofKind = ({ once, idempotent }: FlowsBy<number[]>) => ({
    once: withCallers(once, callersOf),
    idempotent: withCallers(idempotent, callersOf),
  });
  return { all: ofKind(own.all), without_instructions: ofKind(own.without_instructions) };
}

/**
 * Makes a function that returns the effects of the flows and described nodes that a node calls. The first call for a
 * node that calls flows examines all flows.
 */
export function makeEffectsOfCalledFlow({ flows }: Snapshot, registry: NodeRegistry): EffectsOfCalledFlow {
  let found: FlowsWithEffects | undefined;
  return (node, kind) => {
    const ofNodes = effectsOfCalledNodes(node, registry);
    const called = calledFlowsOf(node);
    if (called.length === 0) return ofNodes;
    found ??= findFlowsWithEffects(flows, registry);
    const { once, idempotent } = found[kind];
    return greatestOf([
      ofNodes,
      ...called.map((id) => once.has(id) ? 'once' : idempotent.has(id) ? 'idempotent' : 'none'),
    ]);
  };
}
