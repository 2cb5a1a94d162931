import type { Graph, Snapshot } from '../../types/flow.ts';
import type { LosslessJson } from '../../types/values/value.ts';
import { readCalledFlow } from './called_flow.ts';
import { type HasCalledEffects, hasEffects, isInstructionNode, makeRunGraph, type RunNode } from './graph.ts';
import { type CalledEffects, NodeError, type NodeRegistry } from './node.ts';

/** The flows that have effects, either of their own or because they call flows with effects. */
type FlowsWithEffects = { [kind in CalledEffects]: ReadonlySet<number> };

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
  const own: { [kind in CalledEffects]: number[] } = { all: [], without_instructions: [] };
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
    const acting = nodes.filter((node) => hasEffects(node, () => false));
    if (acting.length > 0) own.all.push(flowId);
    if (!acting.every(isInstructionNode)) own.without_instructions.push(flowId);
  }
  return {
    all: withCallers(own.all, callersOf),
    without_instructions: withCallers(own.without_instructions, callersOf),
  };
}

/** Makes a function that tests whether a called flow of the snapshot has effects. Its first call examines all flows. */
export function makeHasCalledEffects({ flows }: Snapshot, registry: NodeRegistry): HasCalledEffects {
  let found: FlowsWithEffects | undefined;
  return (formData, kind) => {
    const flowId = calledFlowOf(formData);
    if (flowId === undefined) return false;
    found ??= findFlowsWithEffects(flows, registry);
    return found[kind].has(flowId);
  };
}
