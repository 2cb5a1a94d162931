import { type Address, type Commitment, type EncodedAccount, lamports } from '@solana/kit';
import { Clock, FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import type { Account, AccountReader } from './account.ts';
import { type Balances, readBalances } from './balances.ts';
import { BLOCKHASH_BLOCKS, makeSlotClock, type SlotClock } from './slot_clock.ts';
import { type DescribedError, describeError, namedError, type TransactionError } from './transaction_errors.ts';
import { accountsOf, type WireTransaction } from './wire_transaction.ts';

export const SLOTS_PER_EPOCH = 432_000n;

/** The result of a transaction in the VM. */
export interface TransactionExecution {
  /** Undefined if the transaction succeeded. */
  error: DescribedError | undefined;
  logs: string[];
  unitsConsumed: bigint;
  /** The data that a program of the transaction returned, if any. */
  returnData: { programId: Uint8Array; data: Uint8Array } | undefined;
}

/** A transaction in a block. */
export interface LedgerTransaction {
  signature: string;
  bytes: Uint8Array;
  slot: bigint;
  /** Seconds since 1970. */
  blockTime: bigint;
  error: TransactionError | null;
  logs: string[];
  unitsConsumed: bigint;
  returnData: TransactionExecution['returnData'];
  /** The instructions that other instructions called, with the index of the calling instruction. */
  innerInstructions: { index: number; instructions: InnerInstruction[] }[];
  memo: string | null;
  /** The accounts from lookup tables come last. Of the accounts from lookup tables, the writable ones come first. */
  accounts: string[];
  before: Balances;
  after: Balances;
}

interface InnerInstruction {
  programAddressIndex: number;
  accountIndices: Uint8Array;
  data: Uint8Array;
  stackHeight: number;
}

/**
 * The network's treatment of a transaction that the RPC node has accepted: it lands in a block at once, is held until
 * it is released, or is lost.
 */
export type Delivery = 'land' | 'hold' | 'lose';

/** A chain with its accounts, blocks and programs. Its newest state is visible at every commitment. */
export interface Ledger {
  clock: SlotClock;
  read: AccountReader;
  write: (account: EncodedAccount) => void;
  minimumBalance: (dataLength: bigint) => bigint;
  /**
   * Simulates a transaction. If `checkBlockhash` is true, first checks the blockhash, under the given commitment, and
   * that the transaction is new.
   */
  simulate: (
    transaction: WireTransaction,
    options: { commitment: Commitment; checkBlockhash: boolean },
  ) => TransactionExecution & { accounts: ReadonlyMap<string, Account> };
  /**
   * Sends a transaction to the network. A transaction that no leader would accept (old blockhash, unpaid fee,
   * repetition) leaves no trace.
   */
  submit: (transaction: WireTransaction) => void;
  find: (signature: string) => LedgerTransaction | undefined;
  /** Every transaction in a block, oldest first. */
  landed: readonly LedgerTransaction[];
  deliver: (delivery: Delivery) => void;
  /** Releases the transactions that the network held, as far as they are still valid. */
  release: () => void;
  /**
   * Calls the listener whenever a transaction has landed or the clock was advanced. The returned function removes the
   * listener.
   */
  watch: (listener: () => void) => () => void;
}

const toAccount = ({ data, executable, lamports: balance, programAddress }: EncodedAccount): Account => ({
  data: Uint8Array.from(data),
  executable,
  lamports: balance,
  owner: programAddress,
});

function readExecution(meta: TransactionMetadata, error: DescribedError | undefined): TransactionExecution {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    error,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    returnData: data.length === 0 ? undefined : { programId: returned.programId(), data },
  };
}

const readInnerInstructions = (meta: TransactionMetadata): LedgerTransaction['innerInstructions'] =>
  meta.innerInstructions().flatMap((calls, index) => {
    const instructions = calls.map((call) => {
      const called = call.instruction();
      return {
        programAddressIndex: called.programIdIndex(),
        accountIndices: called.accounts(),
        data: called.data(),
        stackHeight: call.stackHeight(),
      };
    });
    return instructions.length === 0 ? [] : [{ index, instructions }];
  });

const rejected = (name: string): TransactionExecution => ({
  error: namedError(name),
  logs: [],
  unitsConsumed: 0n,
  returnData: undefined,
});

/**
 * True if a transaction pays its fee, and therefore lands in a block. The VM gives no signature to a transaction that
 * can't pay its fee.
 */
const isIncluded = (meta: TransactionMetadata): boolean => meta.signature().some((byte) => byte !== 0);

/** Makes a new chain with a slot every `slotMs`; with 0, slots pass only when the clock is advanced. */
export function makeLedger(slotMs: number): Ledger {
  // The chain checks signatures and blockhashes itself, because the VM knows only one blockhash and can't simulate
  // unsigned transactions.
  const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n);
  const listeners = new Set<() => void>();
  const tellListeners = () => listeners.forEach((listener) => listener());
  const { advance, ...slots } = makeSlotClock(svm.getClock().slot, slotMs);
  const clock: SlotClock = {
    ...slots,
    advance(count) {
      advance(count);
      tellListeners();
    },
  };
  const landed: LedgerTransaction[] = [];
  const bySignature = new Map<string, LedgerTransaction>();
  const held = new Map<string, WireTransaction>();
  let delivery: Delivery = 'land';

  const read: AccountReader = (address) => {
    // SAFETY: the callers pass public keys in base58.
    const account = svm.getAccount(address as Address);
    return account.exists && account.lamports > 0n ? toAccount(account) : undefined;
  };

  /** Sets the VM's clock to the newest slot. */
  const tick = (): { slot: bigint; blockTime: bigint } => {
    const slot = clock.slot();
    const epoch = slot / SLOTS_PER_EPOCH;
    const blockTime = BigInt(Math.floor(Date.now() / 1_000));
    svm.setClock(new Clock(slot, blockTime, epoch, epoch + 1n, blockTime));
    return { slot, blockTime };
  };

  /** Returns the reason why a transaction can't be run at all; undefined if it can. */
  const refusal = (transaction: WireTransaction, commitment: Commitment): string | undefined => {
    if (bySignature.has(transaction.signature)) return 'AlreadyProcessed';
    return clock.slotOfBlockhash(transaction.blockhash, commitment) === undefined ? 'BlockhashNotFound' : undefined;
  };

  const land = (transaction: WireTransaction): void => {
    const { slot, blockTime } = tick();
    if (refusal(transaction, 'processed') !== undefined) return;
    const accounts = accountsOf(transaction, read);
    const before = readBalances(accounts, read);
    const outcome = svm.sendTransaction(transaction.transaction);
    const isFailed = outcome instanceof FailedTransactionMetadata;
    const meta = isFailed ? outcome.meta() : outcome;
    if (!isIncluded(meta)) return;
    const { signature, bytes, memo } = transaction;
    const { error, ...execution } = readExecution(meta, isFailed ? describeError(outcome) : undefined);
    const entry = {
      ...execution,
      error: error?.json ?? null,
      innerInstructions: readInnerInstructions(meta),
      signature,
      bytes,
      slot,
      blockTime,
      memo,
      accounts,
      before,
      after: readBalances(accounts, read),
    };
    bySignature.set(signature, entry);
    landed.push(entry);
    tellListeners();
  };

  return {
    clock,
    read,
    write: (account) => svm.setAccount({ ...account, lamports: lamports(account.lamports) }),
    minimumBalance: (dataLength) => svm.minimumBalanceForRentExemption(dataLength),
    simulate(transaction, { commitment, checkBlockhash }) {
      tick();
      const refused = checkBlockhash ? refusal(transaction, commitment) : undefined;
      if (refused !== undefined) return { ...rejected(refused), accounts: new Map() };
      const outcome = svm.simulateTransaction(transaction.transaction);
      if (outcome instanceof FailedTransactionMetadata) {
        return { ...readExecution(outcome.meta(), describeError(outcome)), accounts: new Map() };
      }
      const accounts = outcome.postAccounts().map((account) => [account.address, toAccount(account)] as const);
      return { ...readExecution(outcome.meta(), undefined), accounts: new Map<string, Account>(accounts) };
    },
    submit(transaction) {
      if (delivery === 'land') land(transaction);
      else if (delivery === 'hold') held.set(transaction.signature, transaction);
    },
    find: (signature) => bySignature.get(signature),
    landed,
    deliver: (next) => void (delivery = next),
    release() {
      const waiting = [...held.values()];
      held.clear();
      waiting.forEach(land);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Advances the clock until no present blockhash is valid any more. */
export const expireBlockhashes = ({ clock }: Ledger): void => clock.advance(BLOCKHASH_BLOCKS + 1n);
