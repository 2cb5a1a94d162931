import type { Snapshot } from '../../types/flow.ts';
import { executionKey } from '../engine/state/journal.ts';
import { type Effect, NodeError, type NodeRegistry } from '../engine/node.ts';
import {
  type ParkedEnd,
  type ParkedRun,
  type Settlement,
  type SettlementEnd,
  type SettlementStep,
  SIGNATURE,
} from '../engine/tree/settlement.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import type { TreeRun } from '../engine/tree/tree_run.ts';
import {
  type Grouping,
  groupInstructionNodes,
  nextStep,
  type ParkedInstructions,
  type Step,
} from './building/bundling.ts';
import { errorOf, parkedInstructions } from './building/instruction_module.ts';
import { combineInstructionSets } from './building/instruction_set.ts';
import { areFeesPaid } from './building/fee_instructions.ts';
import { isKeyNamedByFlow, keysOfWallets } from './building/key_origin.ts';
import { sentBeforeError } from './sent_before.ts';
import {
  type FinalOutcome,
  isAsked,
  type StoredTransaction,
  type TransactionEnd,
  type Transactions,
} from './transaction_order.ts';

export interface SettlementOptions {
  transactions: Transactions;
  /** Transactions that earlier claims of the run stored. */
  stored: readonly StoredTransaction[];
  /** Records the end of a transaction, under its first member. `signature` is null if the transaction was not sent. */
  transactionEnded: (transaction: Effect, outcome: FinalOutcome, signature: string | null) => void;
  /** If the run is an action, the key that signs last and whose holder sends the transaction. */
  actionSigner: string | undefined;
  /** If true, nodes share transactions in all flows, whatever the flows' settings are. */
  isBundled: boolean;
  snapshot: Snapshot;
  registry: NodeRegistry;
  run: { ownerId: string; startedBy: string | null };
}

/** A step and the run that it belongs to. */
interface Task {
  parkedRun: ParkedRun;
  step: Step;
}

type Send = Extract<Step, { type: 'send' }>;
type FailedTransaction = Extract<TransactionEnd, { status: 'failed' }>;

/**
 * The error of a node that is not at fault. Its transaction, or an earlier transaction of its group, failed because of
 * another node.
 */
const OTHER_FAILED = 'transaction simulation failed';

const NESTED = 'a flow whose instructions are collected may not call a flow that makes instructions';

const isInsideCollected = ({ caller }: TreeRun): boolean =>
  caller !== undefined && (caller.run.isCollected || isInsideCollected(caller.run));

/** Returns all parked executions that a step concerns. */
const parkedIn = (step: Step): ParkedInstructions[] =>
  step.type === 'send' ? [...step.members, ...step.others] : step.parked;

const withSignature = (signature: string | null): ParkedEnd => ({
  outputs: { [SIGNATURE]: signature === null ? { N: 0 } : { B6: signature } },
});

const endAll = (parked: readonly ParkedInstructions[], end: ParkedEnd) => parked.map((one) => ({ parked: one, end }));

/** Chooses the next task. The runs of `tasks` are in the order of the nodes that called them. */
function chooseTask(tasks: readonly Task[]): Task | undefined {
  // A run whose instructions are being collected may not send transactions, so a run that it called fails if it has
  // instructions.
  const nested = tasks.find(({ parkedRun }) => isInsideCollected(parkedRun.run));
  if (nested !== undefined) {
    return { ...nested, step: { type: 'fail', parked: parkedIn(nested.step), error: NESTED } };
  }
  const isBegun = ({ step }: Task) => step.type === 'send' && step.stored !== undefined;
  // Instructions that a run lacks may still come from a run that it called, so the innermost run fails first.
  return tasks.find(isBegun) ?? tasks.find(({ step }) => step.type !== 'fail') ?? tasks.at(-1);
}

/** Collects the instructions of a run that was called to return them. */
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
 * Makes transactions from the instructions that the runs of a tree have parked. The runs are in the order of the nodes
 * that called them, and the groups are in order within each run. Source: docs/reference/transactions.md, "When a
 * transaction is made".
 */
export function makeSettlement(options: SettlementOptions): Settlement {
  const { transactions, stored, actionSigner, run } = options;
  /**
   * The transactions to continue. If a transaction has failed, a new transaction is made for those of its members that
   * have not ended.
   */
  const begun = new Set(stored.filter(({ outcome }) => outcome === null));
  /**
   * Transactions that have all signatures, or that the action's signer has, by member. Their members are not executed
   * again, because another execution could return other instructions.
   */
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

  /** Fails the members so that each of them is tried again. All members allow another attempt. */
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
      ...members.map((parked, index) => ({
        parked,
        end: { error: errorOf(parked.node, end.errors[index] ?? OTHER_FAILED) },
      })),
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
    if (first === undefined) throw new Error('a transaction must have members');
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

  /**
   * True if the owner started the run and a wallet node of the flows names the key. Then the stored key may sign,
   * regardless of the source of the input's value.
   */
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
      // Most runs have no sent transactions, so most executions need no look-up.
      const transaction = sent.size === 0 ? undefined : sent.get(executionKey(execution));
      return transaction && { haltError: (halt) => sentBeforeError(transaction, halt) };
    },
    isNamedByFlow: (run, node, inputName, publicKey) =>
      isKeyNamedByFlow(options, node, inputName, run) || isOwnersChoice(publicKey),
  };
}
