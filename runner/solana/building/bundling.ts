import { isInstructionNode, type RunNode } from '../../engine/graph/graph.ts';
import { executionKey } from '../../engine/state/journal.ts';
import { isHeldBack } from '../../engine/run/readiness.ts';
import { type Parked, SIGNATURE } from '../../engine/tree/settlement.ts';
import type { InstructionSet, StoredTransaction } from '../transaction_order.ts';

/** A node execution that has returned instructions and waits for their transaction. */
export interface ParkedInstructions extends Parked {
  instructions: InstructionSet | undefined;
}

/** The position of an instruction node among the transactions of its flow. */
interface GroupPosition {
  /**
   * Number of the group, from 1. A node that needs the signature of another node's transaction is in a later group than
   * that node.
   */
  group: number;
  /**
   * The position among all instruction nodes, in topological order. If no edge orders two nodes, the order of the
   * flow's nodes decides.
   */
  rank: number;
}

export type Grouping = ReadonlyMap<RunNode, GroupPosition>;

/** Returns the index at which to insert a node into a list that is in the order of the flow's nodes. */
function indexIn({ index }: RunNode, sorted: RunNode[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Splits a flow's instruction nodes into ordered groups. If an edge carries the signature or the failure of a node's
 * transaction, the edge's target and all nodes after it are in a later group than that node. Source:
 * docs/reference/transactions.md, "When a transaction is made".
 */
export function groupInstructionNodes(nodes: readonly RunNode[]): Grouping {
  const positions = new Map<RunNode, GroupPosition>();
  if (!nodes.some(isInstructionNode)) return positions;
  const groups = new Map<RunNode, number>();
  const awaited = new Map(nodes.map((node) => [node, node.incoming.length]));
  // The nodes whose predecessors have all been visited, in the order of the flow's nodes. This order decides between
  // nodes that no edge orders.
  const free = nodes.filter((node) => node.incoming.length === 0);
  for (let node = free.shift(); node !== undefined; node = free.shift()) {
    const group = groups.get(node) ?? 1;
    if (isInstructionNode(node)) positions.set(node, { group, rank: positions.size });
    for (const { target, sourcePort, isError } of node.outgoing) {
      const isCrossing = isInstructionNode(node) && (isError || sourcePort === SIGNATURE);
      groups.set(target, Math.max(groups.get(target) ?? 1, isCrossing ? group + 1 : group));
      const left = (awaited.get(target) ?? 0) - 1;
      awaited.set(target, left);
      if (left > 0) continue;
      free.splice(indexIn(target, free), 0, target);
    }
  }
  return positions;
}

/** The next step for parked executions of one run. */
export type Step =
  /**
   * Sends one transaction. `stored` is set if an earlier claim began the transaction. `others` are the other executions
   * of the group, which fail if the transaction fails.
   */
  | { type: 'send'; members: ParkedInstructions[]; others: ParkedInstructions[]; stored?: StoredTransaction }
  /** These executions submit nothing and succeed without a signature. */
  | { type: 'submit_nothing'; parked: ParkedInstructions[] }
  | { type: 'fail'; parked: ParkedInstructions[]; error: string };

const NOT_SIGNED = 'fee payer is not in signers';
const INCOMPLETE = 'some node failed to provide instructions';

/** The instruction nodes of one run, and their progress. */
interface Bundling {
  grouping: Grouping;
  /** If true, the nodes of a group share transactions. If false, each node has a transaction of its own. */
  isBundled: boolean;
  parked: ReadonlyMap<RunNode, ParkedInstructions>;
  /** How the latest execution of each executed node has ended. */
  endings: ReadonlyMap<RunNode, 'succeeded' | 'failed'>;
}

/** Returns the executions from the first one up to the first one that has another fee payer, exclusive. */
function takeSamePayer(parked: ParkedInstructions[]): ParkedInstructions[] {
  const payer = parked[0]?.instructions?.feePayer.publicKey;
  const end = parked.findIndex(({ instructions }) => instructions?.feePayer.publicKey !== payer);
  return end < 0 ? parked : parked.slice(0, end);
}

/**
 * Returns the step that continues a transaction which an earlier claim began. Undefined if none of its members is
 * parked.
 */
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
 * Decides the next step for a run's parked executions; undefined if no execution is parked. Earlier claims started the
 * transactions in `begun`, so these come first.
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
  const isComplete = [...grouping].every(([node, position]) =>
    position.group !== groupOf(first) || parked.has(node) || isHeldBack(node) || endings.get(node) === 'succeeded'
  );
  if (!isComplete) return { type: 'fail', parked: group, error: INCOMPLETE };
  const silent = group.filter(({ instructions }) => instructions === undefined);
  if (silent.length > 0) return { type: 'submit_nothing', parked: silent };
  const members = takeSamePayer(group);
  return { type: 'send', members, others: group.slice(members.length) };
}
