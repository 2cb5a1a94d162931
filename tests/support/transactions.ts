import { base58 } from '@scure/base';
import { AccountRole, type Address, address, createNoopSigner, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { randomUUID } from 'node:crypto';
import { makeTransactions, type TransactionsOptions } from '../../runner/solana/carry_out_orders.ts';
import type { RunSettings } from '../../runner/solana/run_settings.ts';
import type { HttpClient, HttpRequest } from '../../runner/engine/node.ts';
import type {
  ChainSigner,
  TransactionEnd,
  TransactionMember,
  TransactionOrder,
} from '../../runner/solana/transaction_order.ts';
import { type Keypair, makeKeypair } from './keypairs.ts';
import { SOL, type TestChain } from './solana.ts';
import { makeTransactionStore, type TestTransactionStore } from './transaction_store.ts';

export const RUN_ID = '01930000-0000-7000-8000-0000000000ff';

/** Makes the settings of a run that sends its transactions and charges no fees. */
export const plainSettings = (url: string): RunSettings => ({
  output_instructions: false,
  action_identity: null,
  action_signer: null,
  fees: [],
  chain_network: { url, cluster: 'devnet' },
});

/** Returns the 64 bytes of a key pair. */
export const bytesOf = ({ keypair }: Keypair): Uint8Array => base58.decode(keypair);

/** Makes the signer of a key pair in a flow's values. */
export const inValues = (pair: Keypair): ChainSigner => ({
  type: 'keypair',
  publicKey: pair.publicKey,
  keypair: bytesOf(pair),
  isNamedByFlow: false,
});

/** Makes the wallet of a key that is not in the flow's values. */
export const wallet = ({ publicKey }: { publicKey: string }, isNamedByFlow = false): ChainSigner => ({
  type: 'adapter',
  publicKey,
  isNamedByFlow,
});

/** Makes a node execution with instructions. */
export const memberOf = (
  feePayer: ChainSigner,
  instructions: Instruction[],
  signers: ChainSigner[] = [],
): TransactionMember => ({
  execution: { flow_run_id: RUN_ID, node_id: randomUUID(), times: 0 },
  instructions: { feePayer, signers, instructions },
});

/** Makes a transfer, signed by the transaction's signer. */
export const transferFrom = (from: string, to: string, amount = SOL): Instruction =>
  getTransferSolInstruction({ source: createNoopSigner(address(from)), destination: address(to), amount });

/** Makes an instruction whose only purpose is that these keys must sign. */
export const signedMemo = (text: string, ...keys: string[]): Instruction => ({
  programAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address,
  accounts: keys.map((key) => ({ address: address(key), role: AccountRole.READONLY_SIGNER })),
  data: new TextEncoder().encode(text),
});

export async function fundedKeypair(chain: TestChain, amount = 10n * SOL): Promise<Keypair> {
  const pair = makeKeypair();
  await chain.call('requestAirdrop', pair.publicKey, amount);
  return pair;
}

/**
 * A function that is called before and after each call of the network and the store. If the function throws, this
 * simulates a worker that ends at once.
 */
export type OnStep = (name: string, when: 'before' | 'after') => void | Promise<void>;

/** Returns the body of a JSON-RPC request as text. */
// SAFETY: JSON-RPC requests make their bodies synchronously.
export const bodyText = ({ makeBody }: HttpRequest): string => new TextDecoder().decode(makeBody!() as Uint8Array);

/** Returns the method of a JSON-RPC request. */
export const methodOf = (request: HttpRequest): string => /"method":"(\w+)"/.exec(bodyText(request))?.[1] ?? '';

/** The surroundings of a run's transactions (network, store, keys), and records of what happened there. */
export interface TransactionWorld {
  store: TestTransactionStore;
  order: (members: TransactionMember[], given?: Partial<TransactionOrder>) => TransactionOrder;
  /** Continues an order from the stored state, as a new worker does. */
  execute: (order: TransactionOrder) => Promise<TransactionEnd>;
  /** Calls of the network and the store, in order. */
  steps: string[];
  onStep: (hook: OnStep) => void;
  /** Lines of the log. */
  logged: string[];
  /** The decrypted copies of stored keys, one for each time that a key was opened. */
  opened: Uint8Array[];
  /** The number of waits for a person or a program outside. */
  waits: () => number;
}

export interface WorldOptions {
  settings?: Partial<RunSettings>;
  /** Keys that are stored for the owner. */
  storedKeys?: Keypair[];
  options?: Partial<TransactionsOptions>;
  limits?: Partial<TransactionsOptions['limits']>;
}

/** Makes a world on a chain whose clock stands still. Each call of the world's network advances the clock by a slot. */
export function makeWorld(
  chain: TestChain,
  { settings, storedKeys = [], options, limits }: WorldOptions = {},
): TransactionWorld {
  const store = makeTransactionStore();
  const steps: string[] = [];
  const logged: string[] = [];
  const opened: Uint8Array[] = [];
  let waits = 0;
  let hook: OnStep = () => {};
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    steps.push(name);
    await hook(name, 'before');
    const result = await work();
    await hook(name, 'after');
    return result;
  };
  const { http } = chain.nodeCall();
  const watched: HttpClient = {
    request: (request) => {
      chain.ledger.clock.advance(1n);
      return step(methodOf(request), () => http.request(request));
    },
  };
  const given: TransactionsOptions = {
    run: {
      id: RUN_ID,
      settings: { ...plainSettings(chain.url), ...settings },
    },
    http: watched,
    store: { store: (record, requests) => step('store', () => store.store(record, requests)) },
    async openWallet(publicKey) {
      const pair = storedKeys.find((key) => key.publicKey === publicKey);
      const bytes = pair && bytesOf(pair);
      if (bytes !== undefined) opened.push(bytes);
      return bytes;
    },
    limits: {
      signatureTimeoutMs: 180_000,
      actionTimeoutMs: 180_000,
      confirmPollMs: 2,
      actionPollMs: 2,
      resendMs: 10,
      ...limits,
    },
    now: Date.now,
    resting: (work) => work(),
    waiting: (work) => {
      waits += 1;
      return work();
    },
    ...options,
  };
  return {
    store,
    steps,
    logged,
    opened,
    onStep: (next) => void (hook = next),
    waits: () => waits,
    order: (members, more = {}) => ({
      members,
      stored: undefined,
      chargesFees: true,
      environment: {},
      knownSignatures: new Set(),
      signal: new AbortController().signal,
      releasing: new AbortController().signal,
      log: (level, content) => void logged.push(`${level}: ${content}`),
      ...more,
    }),
    execute: (order) => makeTransactions(given).execute({ ...order, stored: store.stored() }),
  };
}

/** Makes an order: the fee payer sends 1 SOL, and others sign a memo. */
export async function makeSharedOrder(
  chain: TestChain,
  asSigner: (payer: Keypair) => ChainSigner,
  others: { pair: Keypair; signer: ChainSigner }[] = [],
  options: WorldOptions = {},
) {
  const [payer, recipient] = [await fundedKeypair(chain, 3n * SOL), makeKeypair().publicKey];
  const world = makeWorld(chain, options);
  const memo = signedMemo('together', payer.publicKey, ...others.map(({ pair }) => pair.publicKey));
  const order = world.order([
    memberOf(asSigner(payer), [transferFrom(payer.publicKey, recipient), memo], others.map(({ signer }) => signer)),
  ]);
  return { world, order, payer, recipient, execute: () => world.execute(order) };
}

/** Makes a signer whose key is not stored, so the run has to ask for the signature. */
export const adapter = (): { pair: Keypair; signer: ChainSigner } => {
  const pair = makeKeypair();
  return { pair, signer: wallet(pair) };
};
