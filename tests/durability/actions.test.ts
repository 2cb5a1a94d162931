import { base64 } from '@scure/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextRequest, outputOf, paymentFlow, PRICE, type StartedRun } from '../support/actions.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { signWire } from '../support/wire.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** The time that a run may work. ACTION_TIMEOUT_MS gives the sender of the run's transaction more time. */
const MAX_WORK_MS = 10_000;
const ACTION_TIMEOUT_MS = 20_000;

let workers: WorkerStack;
let worker: WorkerProcess;
let chain: TestChain;
let owner: FlowOwner;
let buyer: Keypair;
let identity: Keypair;
beforeAll(async () => {
  [workers, chain] = await Promise.all([
    makeWorkerStack('actions', { functions: ['flow', 'signature'] }),
    startTestChain({ slotMs: 200 }),
  ]);
  owner = await workers.addOwner();
  [buyer, identity] = [await fundedKeypair(chain), makeKeypair()];
  await owner.storeWallet(identity);
  worker = startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: {
      WALLET_KEYS: workers.walletKeys,
      ACTION_TIMEOUT_MS: String(ACTION_TIMEOUT_MS),
      FLOW_RUN_MAX_WORK_MS: String(MAX_WORK_MS),
    },
  });
  await worker.ready();
});
afterAll(async () => {
  worker?.process.kill('SIGKILL');
  await Promise.all([workers?.remove(), chain?.stop()]);
});

/** Makes a payment for the buyer to send. Returns the run, the shop's key, and the transaction that the buyer signs. */
async function startAction(): Promise<{ run: StartedRun; shop: string; wire: string }> {
  const shop = makeKeypair().publicKey;
  const run = await owner.startAction(await owner.storeFlow(paymentFlow(shop), chain), {
    identity: identity.publicKey,
    signer: buyer.publicKey,
    inputs: { buyer: { B3: buyer.publicKey } },
  });
  const { message } = await nextRequest(run);
  const unsigned = new Uint8Array([1, ...new Uint8Array(64), ...base64.decode(message)]);
  return { run, shop, wire: signWire(base64.encode(unsigned), buyer) };
}

it.concurrent('an action that nobody sends in time fails its run with this reason, and not with the work limit', async () => {
  // On a busy machine, the output is requested when much of the time is over already.
  const began = performance.now();
  const { run, shop } = await startAction();
  const { status, body } = await outputOf(run);
  expect(performance.now() - began).toBeGreaterThan(MAX_WORK_MS);
  expect([status, body]).toMatchObject([409, {
    code: 'run_failed',
    details: {
      errors: [
        expect.stringMatching(
          new RegExp(`^pay \\S+: timeout: ${buyer.publicKey} did not send the transaction in time$`),
        ),
      ],
    },
  }]);
  expect(chain.balance(shop)).toBe(0n);
});

it.concurrent("an action that is sent after more time than the run's work limit is found", async () => {
  const { run, shop, wire } = await startAction();
  const began = performance.now();
  await waitFor(() => performance.now() - began > MAX_WORK_MS + 500 || undefined);
  const { result: signature } = await chain.call('sendTransaction', wire, {
    encoding: 'base64',
    preflightCommitment: 'processed',
  });
  expect(await outputOf(run)).toEqual({ status: 200, body: { M: { signature: { B6: signature } } } });
  expect(chain.balance(shop)).toBe(PRICE);
});
