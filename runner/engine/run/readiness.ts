import type { ValueMap } from '../../../types/values/value.ts';
import { isInstructionNode, type RunEdge, type RunNode } from '../graph/graph.ts';
import type { Entry } from '../graph/entry_queue.ts';
import { SUBMIT } from '../tree/settlement.ts';

/**
 * The nodes that will give no further output. For each node, the map has the reason why values are missing.
 * `spreadFinished` updates this map.
 */
export type FinishedNodes = Map<RunNode, Lack>;

/** The reason why a node does not run: a node before it failed, or a branch before it was not taken. */
export type Lack = RunNode['absence'];

/**
 * What an edge brings to the next execution of its target. `open` means that a value may still come. If an input of the
 * source that has no value is passed on to an optional input, the edge brings what the target needs.
 */
type Brought = 'value' | 'open' | Lack;

function broughtBy({ input, queue: { head }, source }: RunEdge, finished: FinishedNodes): Brought {
  if (head === undefined) return finished.get(source) ?? 'open';
  if (head.value !== undefined || head.fault !== undefined) return 'value';
  if (head.absence === 'not_handed_on') return input.required ? 'unset' : 'value';
  return head.absence ?? 'unset';
}

/** Tests whether an edge that brings no value lacks what its target needs. */
const isLack = ({ need }: RunEdge, brought: Lack): boolean =>
  need === 'value' || (need === 'no_failure' && brought === 'failed');

/**
 * The state of the edges into a node, for the node's next execution:
 *
 * - `complete`: they bring all that the node needs.
 * - `lacking`: something is missing for the next execution.
 * - `open`: a value may still come.
 * - `over`: an edge brings nothing more, and the node needs a value of it.
 */
function edgesInto(node: RunNode, finished: FinishedNodes): 'complete' | 'lacking' | 'open' | 'over' {
  let isOpen = false;
  let isLacking = false;
  let hasValue = false;
  for (const edge of node.incoming) {
    const brought = broughtBy(edge, finished);
    if (brought === 'value') hasValue = true;
    else if (brought === 'open') isOpen = true;
    else if (isLack(edge, brought)) {
      if (edge.queue.head === undefined) return 'over';
      isLacking = true;
    }
  }
  if (isOpen) return 'open';
  return isLacking || (node.needsOneValue && !hasValue) ? 'lacking' : 'complete';
}

const isInLoop = ({ incoming }: RunNode): boolean => incoming.some(({ queue }) => queue.head?.isElement);

/** Tests whether all elements have come that a node gathers. */
const hasAllElements = ({ incoming }: RunNode, finished: FinishedNodes): boolean =>
  incoming.every(({ source }) => finished.has(source));

/**
 * Tests whether a node that gathers elements must not run, because an element failed. If there is no element at all, the
 * node does not run if the loop failed as a whole. Called when all elements have come.
 */
const lacksElement = ({ incoming, leavesOutFailed }: RunNode, finished: FinishedNodes): boolean =>
  !leavesOutFailed &&
  incoming.some(({ queue, source }) =>
    queue.head === undefined
      ? finished.get(source) === 'failed'
      : queue.entries().some(({ absence }) => absence === 'failed')
  );

/** Returns the entry that tells an instruction node not to submit its instructions. */
const submitHead = (node: RunNode): Entry | undefined => {
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
  if (node.times > 0 && (node.incoming.length === 0 || node.module?.collects)) return true;
  if (node.module?.collects) return hasAllElements(node, finished) && lacksElement(node, finished);
  const edges = edgesInto(node, finished);
  if (edges === 'over') return true;
  if (edges === 'open' || isInLoop(node)) return false;
  return node.times > 0 || edges === 'lacking';
};

/**
 * Returns the reason why the node lacks what it needs. The reason is `failed` if the node would have run without the
 * failures before it.
 */
export const reasonOfLack = (node: RunNode, finished: FinishedNodes): Lack => {
  if (submitHead(node) !== undefined) return 'unset';
  if (node.module?.collects) return 'failed';
  const needed: Lack[] = [];
  const all: Lack[] = [];
  for (const edge of node.incoming) {
    const brought = broughtBy(edge, finished);
    if (brought === 'value' || brought === 'open') continue;
    all.push(brought);
    if (isLack(edge, brought)) needed.push(brought);
  }
  // If the node needs one value of any edge, one failure less would have been enough.
  if (needed.length === 0) return all.includes('failed') ? 'failed' : 'unset';
  return needed.includes('unset') ? 'unset' : 'failed';
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
interface Taken {
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
 * Tests whether a node can start now. Each edge into it must have an entry, or must never get one. A node that has
 * already run starts again only for another element of a loop. The result is `skip` if the element lacks what the node
 * needs, or must not be submitted. A skipped element still counts, so that later elements keep their positions.
 */
export const readiness = (node: RunNode, finished: FinishedNodes): 'ready' | 'skip' | 'no' => {
  if (node.isRunning) return 'no';
  if (node.feed !== undefined) return node.times < node.feed.count ? 'ready' : 'no';
  if (node.incoming.length === 0) return node.times === 0 ? 'ready' : 'no';
  if (node.module?.collects) {
    return node.times === 0 && hasAllElements(node, finished) && !lacksElement(node, finished) ? 'ready' : 'no';
  }
  const isElement = isInLoop(node);
  if (node.times > 0 && !isElement) return 'no';
  const held = submitHead(node);
  if (held !== undefined && !held.isElement) return 'no';
  const edges = edgesInto(node, finished);
  if (edges === 'open' || edges === 'over') return 'no';
  if (edges === 'complete' && held === undefined) return 'ready';
  return isElement ? 'skip' : 'no';
};
