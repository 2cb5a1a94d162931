import type { ValueMap } from '../../../types/value.ts';
import type { RunEdge, RunNode } from './graph.ts';
import type { Entry } from './queue.ts';

/** Answers kept for one scan: diamonds would ask the same again and again. */
export type FinishedNodes = Map<RunNode, boolean>;

const isSatisfiedBy = (edge: RunEdge, head: Entry | undefined): boolean =>
  head !== undefined && (head.value !== undefined || !edge.input.required);

/** The node will give no further output. */
const isFinished = (node: RunNode, known: FinishedNodes): boolean => {
  const before = known.get(node);
  if (before !== undefined) return before;
  const answer = (): boolean => {
    if (node.isRunning) return false;
    if (node.incoming.length === 0 || node.module?.collects) return node.times > 0;
    const empty = node.incoming.filter((edge) => edge.queue.head === undefined);
    const starving = empty.filter((edge) => edge.input.required);
    if (starving.length > 0) return starving.some((edge) => isFinished(edge.source, known));
    if (node.incoming.some((edge) => edge.queue.head?.isElement)) return false;
    const isOver = node.times > 0 ||
      node.incoming.some((edge) => edge.input.required && edge.queue.head?.value === undefined);
    // Another element may still come to an optional input.
    return isOver && empty.every((edge) => isFinished(edge.source, known));
  };
  const result = answer();
  known.set(node, result);
  return result;
};

/** What a node takes out of its queues for one execution. */
export interface Taken {
  values: ValueMap;
  /** It belongs to one iteration of a loop. */
  isElement: boolean;
}

/** Takes one iteration's entries out of the queues; entries from outside of loops stay for the next one. */
const takeHeads = (node: RunNode): Taken => {
  const values: ValueMap = Object.create(null);
  let isElement = false;
  for (const edge of node.incoming) {
    const head = edge.queue.head;
    if (head === undefined) continue;
    if (head.value !== undefined) values[edge.input.name] = head.value;
    if (head.isElement) {
      isElement = true;
      edge.queue.shift();
    }
  }
  return { values, isElement };
};

/** Takes everything out of the queues, as one array an input; absent entries are left out. */
const takeAll = (node: RunNode): Taken => {
  const values: ValueMap = Object.create(null);
  for (const edge of node.incoming) {
    values[edge.input.name] = { A: edge.queue.drain().flatMap(({ value }) => value ?? []) };
  }
  return { values, isElement: false };
};

/** Takes what the node's next execution works with. */
export const take = (node: RunNode): Taken => node.module?.collects ? takeAll(node) : takeHeads(node);

/**
 * Whether a node can start now: each of its edges has an entry, or needs none and will never have one. A node that ran before
 * runs again only for another element of a loop; `skip` passes over an element that lacks a required value, so that the ones
 * after it keep their places.
 */
export const readiness = (node: RunNode, known: FinishedNodes): 'ready' | 'skip' | 'no' => {
  if (node.isRunning) return 'no';
  if (node.incoming.length === 0) return node.times === 0 ? 'ready' : 'no';
  if (node.module?.collects) {
    return node.times === 0 && node.incoming.every((edge) => isFinished(edge.source, known)) ? 'ready' : 'no';
  }
  const isInLoop = node.incoming.some((edge) => edge.queue.head?.isElement);
  if (node.times > 0 && !isInLoop) return 'no';
  let isSkipped = false;
  for (const edge of node.incoming) {
    const head = edge.queue.head;
    if (isSatisfiedBy(edge, head)) continue;
    if (head !== undefined) isSkipped = true;
    else if (edge.input.required || !isFinished(edge.source, known)) return 'no';
  }
  if (!isSkipped) return 'ready';
  return isInLoop ? 'skip' : 'no';
};
