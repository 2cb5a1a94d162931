import type { Snapshot } from '../../../types/flow.ts';
import { executionKey } from '../engine/journal.ts';
import { type Effect, NodeError, type NodeRegistry } from '../engine/node.ts';
import {
  type ParkedEnd,
  type ParkedRun,
  type Settlement,
  type SettlementEnd,
  type SettlementStep,
  SIGNATURE,
} from '../engine/settlement.ts';
import { TransientError } from '../engine/transient_error.ts';
import type { TreeRun } from '../engine/tree_run.ts';
import { type Grouping, groupInstructionNodes, nextStep, type ParkedInstructions, type Step } from './bundling.ts';
import { parkedInstructions } from './instruction_module.ts';
import { combineInstructionSets } from './instruction_set.ts';
import { areFeesPaid } from './fees.ts';
import { isKeyNamedByFlow, keysOfWallets } from './key_origin.ts';
import { sentBeforeError } from './sent_before.ts';
import {
  type FinalOutcome,
  isAsked,
  type StoredTransaction,
  type TransactionEnd,
  type Transactions,
} from './transaction.ts';

export interface SettlementOptions {
  transactions: Transactions;
  /** The transactions that earlier claims stored. */
  stored: readonly StoredTransaction[];
  /** Puts on record what became of a transaction, by its first member; `signature` when it was sent. */
  transactionEnded: (transaction: Effect, outcome: FinalOutcome, signature: string | null) => void;
  /** The key that signs last, and whose holder sends, where the run is an action. */
  actionSigner: string | undefined;
  /** The nodes of all flows share transactions, whatever the flows say. */
  isBundled: boolean;
  snapshot: Snapshot;
  registry: NodeRegistry;
  run: { ownerId: string; startedBy: string | null };
}

/** A step with the run that it belongs to. */
interface Task {
  parkedRun: ParkedRun;
  step: Step;
}

type Send = Extract<Step, { type: 'send' }>;
type FailedTransaction = Extract<TransactionEnd, { status: 'failed' }>;

/** The error of nodes that were to share a transaction, or one after it, when another one of them is at fault. */
const OTHER_FAILED = 'transaction simulation failed';

const NESTED = 'a flow that is called inside one that is called for its instructions can make none';

const isInsideCollected = ({ caller }: TreeRun): boolean =>
  caller !== undefined && (caller.run.isCollected || isInsideCollected(caller.run));

/** All parked executions that a step deals with. */
const parkedIn = (step: Step): ParkedInstructions[] =>
  step.type === 'send' ? [...step.members, ...step.others] : step.parked;

const withSignature = (signature: string | null): ParkedEnd => ({
  outputs: { [SIGNATURE]: signature === null ? { N: 0 } : { B6: signature } },
});

const endAll = (parked: readonly ParkedInstructions[], end: ParkedEnd) => parked.map((one) => ({ parked: one, end }));

/** Which of the tasks comes first; the runs are in their order. */
function chooseTask(tasks: readonly Task[]): Task | undefined {
  // What a collected flow calls would send what the collected flow must not.
  const nested = tasks.find(({ parkedRun }) => isInsideCollected(parkedRun.run));
  if (nested !== undefined) {
    return { ...nested, step: { type: 'fail', parked: parkedIn(nested.step), error: NESTED } };
  }
  const isBegun = ({ step }: Task) => step.type === 'send' && step.stored !== undefined;
  // Instructions that one run lacks may still come from what another one does; so the innermost gives up first.
  return tasks.find(isBegun) ?? tasks.find(({ step }) => step.type !== 'fail') ?? tasks.at(-1);
}

/** Collects the instructions of a run that was called for them. */
function collect(parked: readonly ParkedInstructions[]): SettlementEnd {
  try {
    const instructions = combineInstructionSets(parked.flatMap((one) => one.instructions ?? []));
    return { status: 'collected', instructions };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { status: 'ended', ends: endAll(parked, { error: error.message }) };
  }
}

/**
 * Makes transactions of what the runs of a tree have parked: the runs in the order of the nodes that called them, in each the groups
 * in theirs.
 * Source: docs/reference/transactions.md, "When a transaction is made".
 */
export function makeSettlement(options: SettlementOptions): Settlement {
  const { transactions, stored, actionSigner, run } = options;
  /** Transactions that are to be continued. The members of one that has failed, and have not ended, get another one. */
  const begun = new Set(stored.filter(({ outcome }) => outcome === null));
  /** What is signed as a whole, or in the hands of the action's signer: executing it may change what it would be made of now. */
  const sent = new Map(
    [...begun].filter(({ wire, requests }) => wire !== null || isAsked(requests, actionSigner)).flatMap((transaction) =>
      transaction.members.map((member) => [executionKey(member), transaction] as const)
    ),
  );
  const knownSignatures = new Set(stored.flatMap(({ signature }) => signature ?? []));
  const groupings = new WeakMap<TreeRun, Grouping>();
  let hasPaidFees = areFeesPaid(stored);
  let walletKeys: ReadonlySet<string> | undefined;

  const groupingOf = ({ run, nodes }: ParkedRun): Grouping => {
    const grouping = groupings.get(run) ?? groupInstructionNodes(nodes);
    groupings.set(run, grouping);
    return grouping;
  };

  const isBundled = ({ isCollected, graph }: TreeRun): boolean =>
    options.isBundled || isCollected || graph.instructions_bundling === 'Automatic';

  const taskOf = (parkedRun: ParkedRun): Task[] => {
    const step = nextStep({
      grouping: groupingOf(parkedRun),
      isBundled: isBundled(parkedRun.run),
      parked: parkedInstructions(parkedRun),
      endings: parkedRun.endings,
    }, begun);
    return step === undefined ? [] : [{ parkedRun, step }];
  };

  /** Its members are tried again, each of which lets itself be. */
  const failForNow = (
    { members, stored }: Send,
    { errors, transience, signature }: FailedTransaction,
  ): SettlementEnd => {
    if (stored !== undefined) begun.delete(stored);
    for (const { execution } of members) sent.delete(executionKey(execution));
    return {
      status: 'failed_for_now',
      failures: members.map((parked, index) => ({
        parked,
        error: new TransientError(errors[index] ?? OTHER_FAILED, transience),
      })),
      store: storeEnd(members, 'failed', signature),
    };
  };

  const storeEnd =
    ([first]: readonly ParkedInstructions[], ...end: [outcome: FinalOutcome, signature: string | null]) => () =>
      first && options.transactionEnded(first.execution, ...end);

  const toSettlementEnd = (step: Send, end: TransactionEnd): SettlementEnd => {
    const { members, others } = step;
    if (end.status === 'put_out') return { status: 'put_out', outputs: { transaction: { S: end.transaction } } };
    if (end.status === 'waiting') return { status: 'waiting' };
    const { signature, status } = end;
    if (signature !== null) knownSignatures.add(signature);
    if (end.status === 'confirmed') hasPaidFees ||= end.hasFees;
    else if (end.transience !== undefined && members.every(({ again }) => again?.isPossible())) {
      return failForNow(step, end);
    }
    const ends = end.status === 'confirmed' ? endAll(members, withSignature(signature)) : [
      ...members.map((parked, index) => ({ parked, end: { error: end.errors[index] ?? OTHER_FAILED } })),
      ...endAll(others, { error: OTHER_FAILED }),
    ];
    const outcome = end.status === 'failed' && end.isUnknown ? 'unknown' : status;
    return { status: 'ended', ends, store: storeEnd(members, outcome, signature) };
  };

  const send = async (
    parkedRun: ParkedRun,
    step: Send,
    signals: { signal: AbortSignal; releasing: AbortSignal },
  ): Promise<SettlementEnd> => {
    const { members } = step;
    const [first] = members;
    if (first === undefined) throw new Error('a transaction has members');
    const end = await transactions.execute({
      members: members.map(({ execution, instructions }) => ({ execution, instructions })),
      stored: step.stored,
      chargesFees: !hasPaidFees,
      environment: parkedRun.run.graph.environment,
      knownSignatures,
      ...signals,
      log: (level, content) => parkedRun.log(first, level, content),
    });
    return toSettlementEnd(step, end);
  };

  const toSettle = ({ parkedRun, step }: Task): SettlementStep['settle'] => {
    if (step.type === 'submit_nothing') {
      return () => ({ status: 'ended', ends: endAll(step.parked, withSignature(null)) });
    }
    if (step.type === 'fail') return () => ({ status: 'ended', ends: endAll(step.parked, { error: step.error }) });
    if (parkedRun.run.isCollected) return () => collect(parkedIn(step));
    return (signals) => send(parkedRun, step, signals);
  };

  /** The owner started the run, and a wallet node of the flows names the key: it may sign, wherever it came from. */
  const isOwnersChoice = (publicKey: string): boolean => {
    if (run.startedBy !== run.ownerId) return false;
    walletKeys ??= keysOfWallets(options);
    return walletKeys.has(publicKey);
  };

  return {
    nextStep: (runs) => {
      const task = chooseTask(runs.flatMap(taskOf));
      return task && { run: task.parkedRun.run, parked: parkedIn(task.step), settle: toSettle(task) };
    },
    sentBefore: (execution) => {
      // Asked for every execution: most runs have none.
      const transaction = sent.size === 0 ? undefined : sent.get(executionKey(execution));
      return transaction && { haltError: (halt) => sentBeforeError(transaction, halt) };
    },
    isNamedByFlow: (run, node, inputName, publicKey) =>
      isKeyNamedByFlow(options, node, inputName, run) || isOwnersChoice(publicKey),
  };
}
