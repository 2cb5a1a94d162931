import type { ValueMap } from '../../types/values/value.ts';
import { isInstructionNode, type RunEdge, type RunNode } from './graph.ts';
import type { Absence, Entry } from './entry_queue.ts';
import { SUBMIT } from './settlement.ts';

/**
 * The nodes that will give no further output. For each node, the map has the reason why values are missing.
 * `spreadFinished` updates this map.
 */
export type FinishedNodes = Map<RunNode, Lack>;

/** The reason why a node does not run: a node before it failed, or a branch before it was not taken. */
export type Lack = RunNode['absence'];

/**
 * Tests whether an edge's first entry gives the target what it needs. If the edge passes an input without a value
 * through to an optional input, that is enough.
 */
const isSatisfiedBy = ({ isNeeded, input }: RunEdge, head: Entry | undefined): boolean =>
  head !== undefined &&
  (head.value !== undefined || head.fault !== undefined || !isNeeded ||
    (head.absence === 'not_handed_on' && !input.required));

/** Returns the entry that tells an instruction node not to submit its instructions. */
export const submitHead = (node: RunNode): Entry | undefined => {
  if (!isInstructionNode(node)) return undefined;
  const head = node.incoming.find((edge) => edge.input.name === SUBMIT)?.queue.head;
  return head?.value !== undefined && 'B' in head.value && !head.value.B ? head : undefined;
};

/** Tests whether an edge from outside of loops tells an instruction node not to submit. Such a node never starts. */
export const isHeldBack = (node: RunNode): boolean => {
  const head = submitHead(node);
  return head !== undefined && !head.isElement;
};

/** Tests whether the node will give no further output. `finished` tells which of the nodes before it will give none. */
const willGiveNothing = (node: RunNode, finished: FinishedNodes): boolean => {
  if (node.isRunning) return false;
  if (node.feed !== undefined) return node.times >= node.feed.count;
  if (isHeldBack(node)) return true;
  if (node.incoming.length === 0 || node.module?.collects) return node.times > 0;
  let isStarving = false;
  let lacksValue = false;
  let hasElement = false;
  let mayStillGet = false;
  for (const edge of node.incoming) {
    const { isNeeded, queue: { head }, source } = edge;
    const isOver = head === undefined && finished.has(source);
    // The node needs a value that will never come.
    if (isNeeded && isOver) return true;
    if (isNeeded && head === undefined) isStarving = true;
    if (isNeeded && !isSatisfiedBy(edge, head)) lacksValue = true;
    if (head?.isElement) hasElement = true;
    // An optional input may still get a value.
    if (head === undefined && !isOver) mayStillGet = true;
  }
  if (isStarving || hasElement || mayStillGet) return false;
  return node.times > 0 || lacksValue;
};

/**
 * Returns the reason why the node lacks a value that it needs. If all missing values are missing because of failures,
 * the reason is `failed`. Otherwise it is `unset`.
 */
export const reasonOfLack = (node: RunNode, finished: FinishedNodes): Lack => {
  if (submitHead(node) !== undefined) return 'unset';
  const reasons = node.incoming.map((edge): Absence | undefined => {
    const { isNeeded, source, queue: { head } } = edge;
    if (!isNeeded || isSatisfiedBy(edge, head)) return undefined;
    return head === undefined ? finished.get(source) : head.absence;
  });
  return reasons.some((reason) => reason !== undefined && reason !== 'failed') ? 'unset' : 'failed';
};

/**
 * Searches the touched nodes, and the nodes behind them, for nodes that have become finished. Adds these nodes to
 * `finished` and returns them. A finished node stays finished and never gives another value. So all calls of a run
 * together look at each edge only a few times. There is no recursion, because a long flow would overflow the stack.
 */
export const spreadFinished = (touched: Iterable<RunNode>, finished: FinishedNodes): RunNode[] => {
  const added: RunNode[] = [];
  const open = [...touched];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (finished.has(node) || !willGiveNothing(node, finished)) continue;
    finished.set(node, node.times > 0 ? node.absence : reasonOfLack(node, finished));
    added.push(node);
    for (const { target } of node.outgoing) open.push(target);
  }
  return added;
};

/** The entries that a node's next execution takes from the node's queues. */
export interface Taken {
  values: ValueMap;
  /** True if the execution belongs to one iteration of a loop. */
  isElement: boolean;
  /** The error of an edge's expression, with which the execution fails. */
  fault: string | undefined;
}

/** The entries of one iteration. */
const headsOf = (node: RunNode): Taken => {
  const values: ValueMap = Object.create(null);
  let isElement = false;
  let fault: string | undefined;
  for (const edge of node.incoming) {
    const head = edge.queue.head;
    if (head === undefined) continue;
    fault ??= head.fault;
    if (head.value !== undefined) values[edge.input.name] = head.value;
    isElement ||= head.isElement;
  }
  return { values, isElement, fault };
};

/** Returns all entries, as one array for each input. Entries without a value are dropped. */
const allOf = (node: RunNode): Taken => {
  const values: ValueMap = Object.create(null);
  let fault: string | undefined;
  for (const edge of node.incoming) {
    const entries = edge.queue.entries();
    fault ??= entries.find((entry) => entry.fault !== undefined)?.fault;
    values[edge.input.name] = { A: entries.flatMap(({ value }) => value ?? []) };
  }
  return { values, isElement: false, fault };
};

/** Returns the entries for the node's next execution, without removing them from the queues. */
export const lookAt = (node: RunNode): Taken => node.module?.collects ? allOf(node) : headsOf(node);

/**
 * Removes the entries for the node's next execution from the queues. An entry from outside of loops stays, because the
 * next iteration uses it again.
 */
export function remove(node: RunNode): void {
  for (const { queue } of node.incoming) {
    if (node.module?.collects) queue.drain();
    else if (queue.head?.isElement) queue.shift();
  }
}

/**
 * Tests whether a node can start now. Each incoming edge must have an entry, or must be optional and never get one. A
 * node that has already run starts again only for another element of a loop. The result is `skip` if the element lacks
 * a needed value or must not be submitted. A skipped element still counts, so that later elements keep their positions.
 */
export const readiness = (node: RunNode, finished: FinishedNodes): 'ready' | 'skip' | 'no' => {
  if (node.isRunning) return 'no';
  if (node.feed !== undefined) return node.times < node.feed.count ? 'ready' : 'no';
  if (node.incoming.length === 0) return node.times === 0 ? 'ready' : 'no';
  if (node.module?.collects) {
    return node.times === 0 && node.incoming.every((edge) => finished.has(edge.source)) ? 'ready' : 'no';
  }
  const isInLoop = node.incoming.some((edge) => edge.queue.head?.isElement);
  if (node.times > 0 && !isInLoop) return 'no';
  const held = submitHead(node);
  if (held !== undefined && !held.isElement) return 'no';
  let isSkipped = held !== undefined;
  for (const edge of node.incoming) {
    const head = edge.queue.head;
    if (isSatisfiedBy(edge, head)) continue;
    if (head !== undefined) isSkipped = true;
    else if (edge.isNeeded || !finished.has(edge.source)) return 'no';
  }
  if (!isSkipped) return 'ready';
  return isInLoop ? 'skip' : 'no';
};
