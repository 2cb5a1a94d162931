import { makeTransactions } from '../../functions/runner/chain/transactions.ts';
import type { HttpRequest, HttpResponse } from '../../functions/runner/engine/node.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { inValues, memberOf, methodOf, RUN_ID, transferFrom } from '../support/transactions.ts';

/** Answers of a network that knows everything at once, and takes no time for it. */
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

/**
 * Milliseconds that one transfer takes from its instructions to its confirmation where network, database and pauses take none: to
 * build, simulate, sign, store, send and find it confirmed.
 */
export async function timeTransactions(count: number): Promise<number> {
  const pair = makeKeypair();
  const to = makeKeypair().publicKey;
  const transactions = makeTransactions({
    run: {
      id: RUN_ID,
      settings: {
        output_instructions: false,
        action_identity: null,
        action_signer: null,
        fees: [],
        chain_network: { url: 'http://chain.invalid', cluster: 'devnet' },
      },
    },
    http: { request: answer },
    store: { store: () => Promise.resolve([]) },
    openWallet: () => Promise.resolve(undefined),
    limits: {
      signatureTimeoutMs: 1_000,
      actionTimeoutMs: 1_000,
      confirmPollMs: 1,
      actionPollMs: 1,
      resendMs: 1_000,
    },
    now: Date.now,
    resting: (work) => work(),
    waiting: (work) => work(),
  });
  const began = performance.now();
  for (let index = 0; index < count; index++) {
    const end = await transactions.execute({
      members: [memberOf(inValues(pair), [transferFrom(pair.publicKey, to, BigInt(index))], [inValues(pair)])],
      stored: undefined,
      chargesFees: true,
      environment: {},
      knownSignatures: new Set(),
      signal: new AbortController().signal,
      handBack: new AbortController().signal,
      log: () => {},
    });
    if (end.status !== 'confirmed') throw new Error(JSON.stringify(end));
  }
  return (performance.now() - began) / count;
}
