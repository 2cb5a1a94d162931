import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type EffectServer, startEffectServer } from '../support/effect_server.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { type ModelProvider, type ReceivedRequest, startModelProvider } from '../support/model_provider/index.ts';
import type { Script } from '../support/model_provider/scripts.ts';
import { PAID, payOutFlow } from '../support/pay_out_flow.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const KILLS = 20;
/** The number of calls of the tool that asks a server. In the middle of them, the agent pays. */
const LOOKUPS = 46;
const PAYS_AFTER = 20;

let workers: WorkerStack;
let chain: TestChain;
let owner: FlowOwner;
let provider: ModelProvider;
let server: EffectServer;

beforeAll(async () => {
  [workers, chain, provider, server] = await Promise.all([
    makeWorkerStack('agent'),
    startTestChain({ slotMs: 40 }),
    startModelProvider(answer),
    startEffectServer(20),
  ]);
  owner = await workers.addOwner();
});
afterAll(() => Promise.all([workers?.remove(), chain?.stop(), provider?.close(), server?.close()]));

/** The results of tools that a request tells the model. */
const toldBy = ({ body }: ReceivedRequest): number =>
  (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;

let payee: string;

function answer(request: ReceivedRequest): Script {
  const told = toldBy(request);
  const call = told === PAYS_AFTER
    ? { name: 'pay', arguments: JSON.stringify({ to: payee }) }
    : { name: 'look_up', arguments: JSON.stringify({ number: told }) };
  return { delayMs: 300, ...(told <= LOOKUPS ? { toolCalls: [{ id: `call_${told}`, ...call }] } : { text: 'done' }) };
}

function newWorker(): WorkerProcess {
  const worker = startWorker({
    status: workers.stack.status,
    over: 'PostgREST',
    runtime: 'deno',
    env: { WALLET_KEYS: workers.walletKeys, RUNNER_LEASE_SECONDS: '2', RUNNER_MAX_LOST_CLAIMS: '1000' },
  });
  onTestFinished(() => void worker.process.kill('SIGKILL'));
  return worker;
}

/** The number of a request: of the model, the results that it tells; of the tool, the number that it looks up. */
interface Made {
  models: number[];
  lookups: number[];
}

const madeSoFar = (): Made => ({
  models: provider.requests.map(toldBy),
  lookups: [...server.counts].flatMap(([path, count]) => Array<number>(count).fill(Number(path.slice(1)))),
});

/** Returns how many calls of each kind have ended, and the requests that were made for them. */
async function endedCalls(runId: string): Promise<{ models: number; tools: number; made: Made }> {
  const [row] = await workers.sql`
    select count(*) filter (where n.input -> 'M' ? 'messages')::integer as models,
      count(*) filter (where n.input -> 'M' ? 'tool')::integer as tools
    from public.node_run as n
    join public.flow_run as r on r.id = n.flow_run_id
    where r.parent_flow_run_id = ${runId} and n.end_time is not null`;
  return { models: row!.models, tools: row!.tools, made: madeSoFar() };
}

it(
  `while ${KILLS} workers are killed, an agent makes no ended call twice, and pays once`,
  async () => {
    const wallet = await fundedKeypair(chain, 10n * SOL);
    await owner.storeWallet(wallet);
    payee = makeKeypair().publicKey;
    const lookUp = new FlowBuilder();
    const number = lookUp.input('number', undefined, { type: 'integer', required: true });
    const url = lookUp.script(`"${server.url}/" + a`, { a: number }).output('u');
    lookUp.output('found', lookUp.use('http_request', { url }, { form: { method: 'GET' } }).output('body'));
    const flow = new FlowBuilder();
    const form = {
      dialect: 'openai',
      base_url: provider.urls.openai,
      model: 'm',
      max_steps: 100,
      tools: [
        { flow: await owner.storeFlow(lookUp), name: 'look_up', description: 'Looks up a number.' },
        { flow: await owner.storeFlow(payOutFlow(wallet.publicKey), chain), name: 'pay', description: 'Pays.' },
      ],
    };
    const agent = flow.use('ai_agent', { input: flow.json('go') }, { form });
    for (const name of ['text', 'steps', 'finish_reason']) flow.output(name, agent.output(name));
    const [runId] = await owner.start(await owner.storeFlow(flow, chain), [{}]);

    const kills: Awaited<ReturnType<typeof endedCalls>>[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = newWorker();
      // The worker stores the end of a call, and dies during one of the next.
      const before = kills.at(-1)?.models ?? 0;
      await waitFor(async () => (await endedCalls(runId!)).models > before || undefined);
      await new Promise((resolve) => setTimeout(resolve, (kill * 7919) % 150));
      await worker.end('SIGKILL');
      kills.push(await endedCalls(runId!));
    }
    const last = newWorker();
    const [ended] = await workers.ended([runId!]);
    await last.end('SIGTERM');
    expect(ended).toMatchObject({
      status: 'succeeded',
      errors: null,
      output: { M: { text: { S: 'done' }, finish_reason: { S: 'stop' } } },
    });
    // At each kill, the requests of all calls that had ended by then were already made. None came later.
    const all = madeSoFar();
    const below = (numbers: number[], end: number) =>
      numbers.filter((number) => number < end).toSorted((a, b) => a - b);
    for (const { models, tools, made } of kills) {
      expect(below(all.models, models)).toEqual(below(made.models, models));
      expect(below(all.lookups, tools)).toEqual(below(made.lookups, tools));
    }
    // If the kills did not fall into the run, the test would prove nothing.
    expect(kills.filter(({ models }) => models > 0 && models <= LOOKUPS).length).toBeGreaterThan(KILLS / 2);
    expect(chain.balance(payee)).toBe(PAID);
  },
  600_000,
);
