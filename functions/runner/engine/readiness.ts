import type { ValueMap } from '../../../types/value.ts';
import type { Entry, RunEdge, RunNode } from './graph.ts';

const isSatisfiedBy = (edge: RunEdge, head: Entry | undefined): boolean =>
  head !== undefined && (head.value !== undefined || !edge.input.required);

/** The node will give no further output. The answers are kept per scan: diamonds would ask the same again and again. */
const isFinished = (node: RunNode, known: Map<RunNode, boolean>): boolean => {
  const before = known.get(node);
  if (before !== undefined) return before;
  const answer = (): boolean => {
    if (node.isRunning) return false;
    if (node.incoming.length === 0) return node.times > 0;
    const missing = node.incoming.filter((edge) => edge.input.required && edge.queue[0]?.value === undefined);
    if (missing.length === 0) {
      return node.times > 0 &&
        !node.incoming.some((edge) => edge.queue[0]?.isElement);
    }
    return missing.some((edge) => isFinished(edge.source, known));
  };
  const result = answer();
  known.set(node, result);
  return result;
};

/** Takes the iteration's entries out of the queues; entries from outside of loops stay for the next one. */
export const takeHeads = (
  node: RunNode,
): { values: ValueMap; isElement: boolean } => {
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

/**
 * Whether a node can start now: each of its edges has an entry, or needs none and will never have one. A node that ran before
 * runs again only for another element of a loop; `skip` passes over an element that lacks a required value, so that the ones
 * after it keep their places.
 */
export const readiness = (
  node: RunNode,
  known: Map<RunNode, boolean>,
): 'ready' | 'skip' | 'no' => {
  if (node.isRunning) return 'no';
  if (node.incoming.length === 0) return node.times === 0 ? 'ready' : 'no';
  if (
    node.times > 0 && !node.incoming.some((edge) => edge.queue[0]?.isElement)
  ) return 'no';
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
  return node.incoming.some((edge) => edge.queue[0]?.isElement) ? 'skip' : 'no';
};
