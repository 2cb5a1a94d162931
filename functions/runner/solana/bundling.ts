import { isInstructionNode, type RunNode } from '../engine/graph.ts';
import { executionKey } from '../engine/journal.ts';
import { isHeldBack } from '../engine/readiness.ts';
import { type Parked, SIGNATURE } from '../engine/settlement.ts';
import type { InstructionSet, StoredTransaction } from './transaction.ts';

/** A node execution that has handed its instructions over and waits for their transaction. */
export interface ParkedInstructions extends Parked {
  instructions: InstructionSet | undefined;
}

/** The place of a flow's instruction nodes among its transactions. */
interface Place {
  /** Counts from 1. A node that needs the signature of another one is in a later group. */
  group: number;
  /** The order of instructions: topological, else the order of the flow's nodes. */
  rank: number;
}

export type Grouping = ReadonlyMap<RunNode, Place>;

/** Where a node belongs in the order of the flow's nodes. */
function placeOf({ index }: RunNode, sorted: RunNode[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Splits a flow's instruction nodes into ordered groups: a group holds all that can be reached without crossing a signature.
 * Source: docs/reference/transactions.md, "When a transaction is made".
 */
export function groupInstructionNodes(nodes: readonly RunNode[]): Grouping {
  const places = new Map<RunNode, Place>();
  if (!nodes.some(isInstructionNode)) return places;
  const groups = new Map<RunNode, number>();
  const awaited = new Map(nodes.map((node) => [node, node.incoming.length]));
  // Sorted by the order of the flow's nodes, which decides where no edge does.
  const free = nodes.filter((node) => node.incoming.length === 0);
  for (let node = free.shift(); node !== undefined; node = free.shift()) {
    const group = groups.get(node) ?? 1;
    if (isInstructionNode(node)) places.set(node, { group, rank: places.size });
    for (const { target, sourcePort } of node.outgoing) {
      const isCrossing = isInstructionNode(node) && sourcePort === SIGNATURE;
      groups.set(target, Math.max(groups.get(target) ?? 1, isCrossing ? group + 1 : group));
      const left = (awaited.get(target) ?? 0) - 1;
      awaited.set(target, left);
      if (left > 0) continue;
      free.splice(placeOf(target, free), 0, target);
    }
  }
  return places;
}

/** What is to be done next with parked executions of one run. */
export type Step =
  /** One transaction, `stored` if an earlier claim began it; `others` of its group fail with it. */
  | { type: 'send'; members: ParkedInstructions[]; others: ParkedInstructions[]; stored?: StoredTransaction }
  /** They submit nothing, and succeed without a signature. */
  | { type: 'submit_nothing'; parked: ParkedInstructions[] }
  | { type: 'fail'; parked: ParkedInstructions[]; error: string };

const NOT_SIGNED = 'fee payer is not in signers';
const INCOMPLETE = 'some node failed to provide instructions';

/** The instruction nodes of one run, and how far they have come. */
export interface Bundling {
  grouping: Grouping;
  /** Automatic: the nodes of a group share transactions. Else each has its own. */
  isBundled: boolean;
  parked: ReadonlyMap<RunNode, ParkedInstructions>;
  /** How the latest execution of each node ended, for nodes that have one. */
  endings: ReadonlyMap<RunNode, 'succeeded' | 'failed'>;
}

/** The first of these, and those right behind it that have the same fee payer. */
function takeSamePayer(parked: ParkedInstructions[]): ParkedInstructions[] {
  const payer = parked[0]?.instructions?.feePayer.publicKey;
  const end = parked.findIndex(({ instructions }) => instructions?.feePayer.publicKey !== payer);
  return end < 0 ? parked : parked.slice(0, end);
}

/** Continues a transaction that an earlier claim began, if members of it are parked here. */
function storedStep(
  group: ParkedInstructions[],
  byKey: ReadonlyMap<string, ParkedInstructions>,
  stored: StoredTransaction,
): Step | undefined {
  const members = stored.members.flatMap((member) => byKey.get(executionKey(member)) ?? []);
  if (members.length === 0) return undefined;
  if (members.length < stored.members.length) return { type: 'fail', parked: members, error: INCOMPLETE };
  return { type: 'send', members, others: group.filter((one) => !members.includes(one)), stored };
}

/**
 * What to do next with a run's parked executions; undefined when there are none. Transactions that earlier claims began, `begun`, come
 * first.
 */
export function nextStep(
  { grouping, isBundled, parked, endings }: Bundling,
  begun: Iterable<StoredTransaction>,
): Step | undefined {
  const rankOf = ({ node }: ParkedInstructions) => grouping.get(node)?.rank ?? 0;
  const groupOf = ({ node }: ParkedInstructions) => grouping.get(node)?.group ?? 1;
  const all = [...parked.values()].sort((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  const [first] = all;
  if (first === undefined) return undefined;
  const group = isBundled ? all.filter((one) => groupOf(one) === groupOf(first)) : [];
  const byKey = new Map(all.map((one) => [executionKey(one.execution), one]));
  for (const stored of begun) {
    const step = storedStep(group, byKey, stored);
    if (step !== undefined) return step;
  }
  if (!isBundled) {
    return first.instructions === undefined
      ? { type: 'fail', parked: [first], error: NOT_SIGNED }
      : { type: 'send', members: [first], others: [] };
  }
  const isComplete = [...grouping].every(([node, place]) =>
    place.group !== groupOf(first) || parked.has(node) || isHeldBack(node) || endings.get(node) === 'succeeded'
  );
  if (!isComplete) return { type: 'fail', parked: group, error: INCOMPLETE };
  const silent = group.filter(({ instructions }) => instructions === undefined);
  if (silent.length > 0) return { type: 'submit_nothing', parked: silent };
  const members = takeSamePayer(group);
  return { type: 'send', members, others: group.slice(members.length) };
}
