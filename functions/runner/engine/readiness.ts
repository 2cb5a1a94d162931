import type { ValueMap } from '../../../types/value.ts';
import type { RunEdge, RunNode } from './graph.ts';
import type { Entry } from './queue.ts';

/** Answers kept for one scan: diamonds would ask the same again and again. */
export type FinishedNodes = Map<RunNode, boolean>;

/** The input that tells an instruction node whether to submit its transaction. */
export const SUBMIT = 'submit';

const isSatisfiedBy = (edge: RunEdge, head: Entry | undefined): boolean =>
  head !== undefined && (head.value !== undefined || !edge.input.required);

/** The entry that tells an instruction node not to submit. */
export const submitHead = (node: RunNode): Entry | undefined => {
  if (node.module === undefined || !('buildInstructions' in node.module)) return undefined;
  const head = node.incoming.find((edge) => edge.input.name === SUBMIT)?.queue.head;
  return head?.value !== undefined && 'B' in head.value && !head.value.B ? head : undefined;
};

/** An edge tells an instruction node not to submit: it never starts. */
export const isHeldBack = (node: RunNode): boolean => {
  const head = submitHead(node);
  return head !== undefined && !head.isElement;
};

/** Whether the node will give no further output, or which source must be known before that can be told. */
const judge = (node: RunNode, known: FinishedNodes): boolean | RunNode => {
  if (node.isRunning) return false;
  if (isHeldBack(node)) return true;
  if (node.incoming.length === 0 || node.module?.collects) return node.times > 0;
  const empty = node.incoming.filter((edge) => edge.queue.head === undefined);
  const starving = empty.filter((edge) => edge.input.required);
  for (const { source } of starving) {
    const isFinished = known.get(source);
    if (isFinished !== false) return isFinished ?? source;
  }
  if (starving.length > 0) return false;
  if (node.incoming.some((edge) => edge.queue.head?.isElement)) return false;
  const lacksValue = node.incoming.some((edge) => edge.input.required && edge.queue.head?.value === undefined);
  if (node.times === 0 && !lacksValue) return false;
  // Another element may still come to an optional input.
  for (const { source } of empty) {
    const isFinished = known.get(source);
    if (isFinished !== true) return isFinished ?? source;
  }
  return true;
};

/** Whether the node will give no further output. Without recursion: flows may be longer than a stack is deep. */
const isFinished = (node: RunNode, known: FinishedNodes): boolean => {
  const path = known.has(node) ? [] : [node];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    // Until it is known: who meets it again on the way takes it for unfinished.
    known.set(top, false);
    const answer = judge(top, known);
    if (typeof answer === 'boolean') {
      known.set(top, answer);
      path.pop();
    } else {
      path.push(answer);
    }
  }
  return known.get(node) ?? false;
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
  const held = submitHead(node);
  if (held !== undefined && !held.isElement) return 'no';
  let isSkipped = held !== undefined;
  for (const edge of node.incoming) {
    const head = edge.queue.head;
    if (isSatisfiedBy(edge, head)) continue;
    if (head !== undefined) isSkipped = true;
    else if (edge.input.required || !isFinished(edge.source, known)) return 'no';
  }
  if (!isSkipped) return 'ready';
  return isInLoop ? 'skip' : 'no';
};
