import { signHere } from '../../runner/solana/signing/signing.ts';
import { makeTransactions } from '../../runner/solana/carry_out_orders.ts';
import type { HttpRequest, HttpResponse } from '../../runner/engine/node.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { inValues, memberOf, methodOf, plainSettings, RUN_ID, transferFrom } from '../support/transactions.ts';
import { makePart, type Part } from './figure.ts';
import { type Plan, takeRounds } from './plan.ts';
import { time } from './statistics.ts';

/** Answers in place of a network that confirms everything and takes no time. */
const answers: { [method: string]: unknown } = {
  getLatestBlockhash: {
    context: { slot: 400 },
    value: { blockhash: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', lastValidBlockHeight: 500 },
  },
  simulateTransaction: { context: { slot: 400 }, value: { err: null, logs: [], unitsConsumed: 450 } },
  getSignatureStatuses: {
    context: { slot: 401 },
    value: [{ slot: 401, err: null, confirmationStatus: 'confirmed' }],
  },
  sendTransaction: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
};

const answer = (request: HttpRequest): Promise<HttpResponse> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '1', result: answers[methodOf(request)] });
  const headers = { 'content-type': 'application/json' };
  return Promise.resolve({ status: 200, headers, body: new TextEncoder().encode(body) });
};

const TRANSFERS = 200;

/**
 * Measures a transfer from its instructions to its confirmation: build, simulate, sign, store, send, confirm. The
 * network, the database and the pauses take no time. The baseline is the signature alone.
 */
export async function measureTransactionTime(plan: Plan): Promise<Part> {
  const pair = makeKeypair();
  const signer = inValues(pair);
  const to = makeKeypair().publicKey;
  const { signal } = new AbortController();
  const transactions = makeTransactions({
    run: { id: RUN_ID, settings: plainSettings('http://chain.invalid') },
    http: { request: answer },
    store: { store: () => Promise.resolve([]) },
    openWallet: () => Promise.resolve(undefined),
    limits: { signatureTimeoutMs: 1_000, actionTimeoutMs: 1_000, confirmPollMs: 1, actionPollMs: 1, resendMs: 1_000 },
    now: Date.now,
    resting: (work) => work(),
    waiting: (work) => work(),
  });
  const transfer = async (lamports: number): Promise<void> => {
    const end = await transactions.execute({
      members: [memberOf(signer, [transferFrom(pair.publicKey, to, BigInt(lamports))], [signer])],
      stored: undefined,
      chargesFees: true,
      environment: {},
      knownSignatures: new Set(),
      signal,
      releasing: signal,
      log: () => {},
    });
    if (end.status !== 'confirmed') throw new Error(JSON.stringify(end));
  };
  const sign = (count: number) => signHere(() => Promise.resolve(undefined), signer, Uint8Array.of(count));
  const each = (work: (count: number) => Promise<unknown>) => async () => {
    const total = await time(async () => {
      for (let count = 0; count < TRANSFERS; count++) await work(count);
    });
    return total / TRANSFERS;
  };
  const rounds = await takeRounds(plan.rounds, each(transfer), each(sign));
  return makePart({ name: 'a transaction without the chain against its signature alone', unit: 'ms', rounds });
}
