import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  answerRequest,
  nextRequest,
  outputOf,
  paymentFlow,
  PRICE,
  signNext,
  type StartedRun,
} from '../support/actions.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** At this slot length, a blockhash is valid for half a minute: longer than the stack needs to restart. */
const SLOT_MS = 200;

let workers: WorkerStack;
let chain: TestChain;
let owner: FlowOwner;
let buyer: Keypair;
beforeAll(async () => {
  [workers, chain] = await Promise.all([
    makeWorkerStack('signatures', { functions: ['flow', 'signature'] }),
    startTestChain({ slotMs: SLOT_MS }),
  ]);
  owner = await workers.addOwner();
  buyer = await fundedKeypair(chain);
});
afterAll(() => Promise.all([workers?.remove(), chain?.stop()]));

const started: WorkerProcess[] = [];
// End the workers by SIGTERM. If a worker were killed, its last claim could still be executed, and would take the next
// test's run.
afterEach(() => Promise.all(started.splice(0).map((worker) => worker.end('SIGTERM'))));

function newWorker(env: Record<string, string> = {}): WorkerProcess {
  const worker = startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: { WALLET_KEYS: workers.walletKeys, RUNNER_LEASE_SECONDS: '2', ...env },
  });
  started.push(worker);
  return worker;
}

async function startPayment(): Promise<{ run: StartedRun; shop: string }> {
  const shop = makeKeypair().publicKey;
  const flowId = await owner.storeFlow(paymentFlow(shop), chain);
  return { run: await owner.startRun(flowId, { buyer: { B3: buyer.publicKey } }), shop };
}

const reached = (run: StartedRun, status: string) =>
  waitFor(async () => {
    const [row] = await workers.sql`select status from public.flow_run where id = ${run.flow_run_id}`;
    return row?.status === status || undefined;
  });

async function expectPaidOnce(run: StartedRun, shop: string): Promise<void> {
  const ended = await outputOf(run);
  const landed = chain.ledger.landed.filter(({ accounts }) => accounts.includes(shop));
  expect(ended).toEqual({ status: 200, body: { M: { signature: { B6: landed[0]?.signature } } } });
  expect([landed.length, chain.balance(shop)]).toEqual([1, PRICE]);
}

it('a run that waits for a signature survives the end of its worker and a restart of the database, and pays once', async () => {
  const { run, shop } = await startPayment();
  const worker = newWorker();
  const request = await nextRequest(run);
  await reached(run, 'waiting');
  expect(await worker.end('SIGKILL')).toBe('SIGKILL');
  await workers.own.stop();
  await workers.own.boot();
  expect(await nextRequest(run)).toEqual(request);
  expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
  newWorker();
  await expectPaidOnce(run, shop);
});

it('a worker that is lost right after a signature request leaves the same request to the next one', async () => {
  const { run, shop } = await startPayment();
  const worker = newWorker();
  const request = await nextRequest(run);
  await worker.end('SIGKILL');
  newWorker();
  await reached(run, 'waiting');
  expect(await nextRequest(run)).toEqual(request);
  expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
  await expectPaidOnce(run, shop);
  const [count] = await workers.sql`
    select count(*)::integer as requests from public.signature_requests where root_flow_run_id = ${run.flow_run_id}`;
  expect(count).toEqual({ requests: 1 });
});

it('a run that waits for a signature frees its worker for others', async () => {
  newWorker({ RUNNER_CONCURRENCY: '1', RUNNER_RESTING_RUNS: '0' });
  const { run, shop } = await startPayment();
  await nextRequest(run);
  const [other] = await owner.start(await owner.storeFlow(chainFlow(3)), [{ n: integer(7) }]);
  expect(await workers.ended([other!])).toMatchObject([{ status: 'succeeded' }]);
  await reached(run, 'waiting');
  await signNext(run, buyer);
  await expectPaidOnce(run, shop);
});

it('a signature after the blockhash has expired is requested again if the flow says so, and pays once', async () => {
  const quick = await startTestChain({ slotMs: 40 });
  const payer = await fundedKeypair(quick);
  const shop = makeKeypair().publicKey;
  const retry = { max_attempts: 3, delay_ms: 0, backoff: 1, max_delay_ms: 0 };
  const flowId = await owner.storeFlow(paymentFlow(shop, retry), quick);
  const run = await owner.startRun(flowId, { buyer: { B3: payer.publicKey } });
  newWorker();
  const first = await nextRequest(run);
  await waitFor(async () => {
    const [stored] = await workers.sql`
      select t.last_valid_block_height from private.flow_run_transactions as t where t.flow_run_id = ${run.flow_run_id}`;
    const { result } = await quick.call('getBlockHeight', { commitment: 'confirmed' });
    return BigInt(result as bigint) > BigInt(stored?.last_valid_block_height) || undefined;
  });
  expect(await answerRequest(run, first, payer)).toEqual([200, undefined]);

  const second = await waitFor(async () => {
    const request = await nextRequest(run);
    return request.id === first.id ? undefined : request;
  });
  expect(second.message).not.toBe(first.message);
  expect(await answerRequest(run, first, payer), 'the first one is gone').toEqual([404, 'signature_request_not_found']);
  expect(await answerRequest(run, second, payer)).toEqual([200, undefined]);
  const ended = await outputOf(run);
  const landed = quick.ledger.landed.filter(({ accounts }) => accounts.includes(shop));
  expect(ended).toEqual({ status: 200, body: { M: { signature: { B6: landed[0]?.signature } } } });
  expect([landed.length, quick.balance(shop)]).toEqual([1, PRICE]);
  const [node] = await workers.sql`
    select max(n.attempt) as attempts from public.node_run as n where n.flow_run_id = ${run.flow_run_id}`;
  expect(node).toEqual({ attempts: 2 });
  await quick.stop();
});

it('a run whose request nobody answers in time fails, and a late answer is refused', async () => {
  newWorker({ SIGNATURE_TIMEOUT_MS: '1500' });
  const { run, shop } = await startPayment();
  const request = await nextRequest(run);
  expect(request.timeout).toBe(1.5);
  const { status, body } = await outputOf(run);
  expect([status, body]).toMatchObject([409, {
    code: 'run_failed',
    details: {
      errors: [
        expect.stringMatching(
          new RegExp(`^pay \\S+: timeout: the signature request of ${buyer.publicKey} was not answered in time$`),
        ),
      ],
    },
  }]);
  expect(await answerRequest(run, request, buyer)).toEqual([409, 'signature_request_expired']);
  expect(chain.balance(shop)).toBe(0n);
});
