import type { Graph, Snapshot } from '../../../types/flow.ts';
import type { Effects } from '../../../types/node_definition.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { readCalledFlow } from './called_flow.ts';
import { type EffectsOfCalledFlow, greatestEffects, isInstructionNode, makeRunGraph, type RunNode } from './graph.ts';
import { type CalledEffects, NodeError, type NodeRegistry } from '../node.ts';

/** Flows by the effects that they have. */
type FlowsBy<Flows> = { [effects in Exclude<Effects, 'none'>]: Flows };

/** The flows that have effects, either of their own or because they call flows with effects. */
type FlowsWithEffects = { [kind in CalledEffects]: FlowsBy<ReadonlySet<number>> };

/**
 * Returns the id of the called flow. Returns undefined if the form data names no flow; then the node fails when it
 * runs.
 */
function calledFlowOf(formData: LosslessJson): number | undefined {
  try {
    return readCalledFlow(formData);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}

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
    for (const { formData } of nodes.filter(callsAFlow)) {
      const called = calledFlowOf(formData);
      if (called === undefined) continue;
      const callers = callersOf.get(called);
      if (callers === undefined) callersOf.set(called, [flowId]);
      else callers.push(flowId);
    }
    for (const node of nodes) {
      const effects = greatestEffects(node, () => 'none');
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

/** Makes a function that returns the effects of a called flow of the snapshot. Its first call examines all flows. */
export function makeEffectsOfCalledFlow({ flows }: Snapshot, registry: NodeRegistry): EffectsOfCalledFlow {
  let found: FlowsWithEffects | undefined;
  return (formData, kind) => {
    const flowId = calledFlowOf(formData);
    if (flowId === undefined) return 'none';
    found ??= findFlowsWithEffects(flows, registry);
    const { once, idempotent } = found[kind];
    return once.has(flowId) ? 'once' : idempotent.has(flowId) ? 'idempotent' : 'none';
  };
}
