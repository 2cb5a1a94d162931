import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKeypair } from '../support/keypairs.ts';
import { PAID, payOutFlow } from '../support/pay_out_flow.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/**
 * The number of kills is large enough that several happen between a signature and its confirmation. `MONEY_KILLS=200
 * npm test -- money` kills more.
 */
const KILLS = Number(process.env.MONEY_KILLS ?? 10);
const RUNS_PER_KILL = 4;
/** At this slot length, a blockhash is valid for six seconds. */
const SLOT_MS = 40;
/**
 * Returns the milliseconds before a kill. The result depends only on the number of the kill, so that a failure can be
 * reproduced.
 */
const killAfterMs = (kill: number): number => 10 + (kill * 7919) % 700;

let workers: WorkerStack;
let chain: TestChain;
let owner: FlowOwner;

beforeAll(async () => {
  [workers, chain] = await Promise.all([makeWorkerStack('money'), startTestChain({ slotMs: SLOT_MS })]);
  owner = await workers.addOwner();
});
afterAll(() => Promise.all([workers?.remove(), chain?.stop()]));

const newWorker = (): WorkerProcess =>
  startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: {
      WALLET_KEYS: workers.walletKeys,
      RUNNER_LEASE_SECONDS: '2',
      RUNNER_MAX_LOST_CLAIMS: '1000',
      RUNNER_CONCURRENCY: '8',
    },
  });

it(
  `while ${KILLS} workers are killed, each run pays once and succeeds, or pays nothing and fails`,
  async () => {
    const wallet = await fundedKeypair(chain, 1_000n * SOL);
    await owner.storeWallet(wallet);
    const retry = { max_attempts: 3, delay_ms: 100, backoff: 2, max_delay_ms: 1_000 };
    const flowIds = await Promise.all(
      [undefined, retry].map((retry) => owner.storeFlow(payOutFlow(wallet.publicKey, retry), chain)),
    );
    const payees = new Map<string, string>();
    const startSome = async () => {
      // Half of the runs may make another transaction if the first one has expired.
      for (const flowId of flowIds) {
        const keys = Array.from({ length: RUNS_PER_KILL / flowIds.length }, () => makeKeypair().publicKey);
        const ids = await owner.start(flowId, keys.map((key) => ({ to: { B3: key } })));
        ids.forEach((id, index) => payees.set(id, keys[index]!));
      }
    };
    let kills = 0;
    const killOnAndOn = async () => {
      while (kills < KILLS) {
        const kill = kills++;
        const worker = newWorker();
        await Promise.all([worker.ready(), startSome()]);
        await new Promise((resolve) => setTimeout(resolve, killAfterMs(kill)));
        expect(await worker.end('SIGKILL')).toBe('SIGKILL');
        // After every tenth kill, no worker runs until the blockhashes of the signed transactions have expired.
        if (kill % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 160 * SLOT_MS));
      }
    };
    await Promise.all([killOnAndOn(), killOnAndOn()]);
    const last = newWorker();
    const ended = await workers.ended([...payees.keys()]);
    await last.end('SIGTERM');

    const signatureOf = new Map(chain.ledger.landed.map(({ signature, accounts }) => [signature, accounts]));
    let failures = 0;
    for (const { id, status, output, errors } of ended) {
      const payee = payees.get(id)!;
      const landed = chain.ledger.landed.filter(({ accounts }) => accounts.includes(payee));
      if (status === 'succeeded') {
        const signature = (output.M.signature as { B6: string }).B6;
        expect(base58.decode(signature)).toHaveLength(64);
        expect(signatureOf.get(signature)).toContain(payee);
        expect([id, landed.length, chain.balance(payee)]).toEqual([id, 1, PAID]);
      } else {
        failures++;
        expect([id, status, landed.length, chain.balance(payee)]).toEqual([id, 'failed', 0, 0n]);
        expect(errors).toEqual([expect.stringMatching(/^pay out [0-9a-f-]{36}: .*expired/)]);
      }
    }
    const [numbers] = await workers.sql`
      select count(*) filter (where j.claim_number > 1)::integer as taken_over, max(j.claim_number) as most_claims,
        count(*) filter (where t.wire is not null and j.claim_number > 1)::integer as signed_and_taken_over
      from private.flow_run_jobs as j
      left join private.flow_run_transactions as t on t.root_flow_run_id = j.flow_run_id
      where j.flow_run_id = any (${[...payees.keys()]}::uuid[])`;
    console.log(JSON.stringify({ kills: KILLS, runs: payees.size, ...numbers, failed_having_paid_nothing: failures }));
    // If kills disturbed no run, the test would prove nothing.
    expect(numbers?.signed_and_taken_over).toBeGreaterThan(KILLS / 10);
    const [open] = await workers.sql`
      select count(*)::integer as count from private.flow_run_transactions where outcome is null and wire is not null`;
    expect(open?.count, 'of each that was signed it is known what became of it').toBe(0);
  },
  900_000,
);
