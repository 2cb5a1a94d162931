import { expect, it } from 'vitest';
import { claimOf } from '../../tests/support/claim_of.ts';
import { chainFlow, waitFlow } from '../../tests/support/mixed_flows.ts';
import { FlowBuilder } from '../../tests/support/flow_builder.ts';
import { testNode } from '../../tests/support/execute_flow.ts';
import { instructionRegistry } from '../../tests/support/scripted_transactions.ts';
import { waitFor } from '../../tests/support/wait.ts';
import { ApiError } from '../../platform/api_error.ts';
import { uncounted } from '../../tests/support/node_call.ts';
import { pause } from '../../platform/pause.ts';
import type { Claim, Claims, FinalResult } from './claim/claims.ts';
import { type NativeNodes, onlyNative } from '../engine/node.ts';
import { nodeRegistry } from '../nodes/registry.ts';
import { readRunnerSettings, type RunnerSettings } from '../settings.ts';
import { makeWorker } from './worker.ts';

/**
 * Makes a queue in memory. Like the database, it returns one batch for each call, and at most as many runs as the call
 * asks for.
 */
function makeQueue(batches: Claim[][]) {
  const finished = new Map<string, FinalResult>();
  const released: string[] = [];
  const events: string[] = [];
  /** The time for which each claim was told to wait for a run. */
  const waits: number[] = [];
  let onClaim: () => void = () => {};
  const claims: Claims = {
    claim: (maxRuns, _known, waitMs) => {
      waits.push(waitMs);
      onClaim();
      const claimed = batches[0]?.splice(0, maxRuns) ?? [];
      if (batches[0]?.length === 0 || claimed.length === 0) batches.shift();
      return Promise.resolve(claimed);
    },
    history: () =>
      Promise.resolve({ node_runs: [], children: [], transactions: [], ended_executions: 0, log_counts: {} }),
    checkpoint: () => Promise.resolve(),
    release: ({ flow_run_id }) => Promise.resolve(void released.push(flow_run_id)),
    suspend: () => Promise.reject(new Error('these flows wait for no signature')),
    storeTransaction: () => Promise.reject(new Error('these flows have no transactions')),
    takeInputs: () => Promise.reject(new Error('these flows wait for no input')),
    heartbeat: () => Promise.resolve([]),
    finish: ({ flow_run_id }, _, result) => Promise.resolve(void finished.set(flow_run_id, result)),
  };
  return {
    claims,
    finished,
    released,
    events,
    waits,
    calls: () => waits.length,
    whenClaimed: (act: () => void) => onClaim = act,
  };
}

const workerOf = (
  queue: ReturnType<typeof makeQueue>,
  env: Record<string, string> = {},
  registry: NativeNodes = nodeRegistry,
) => {
  return workerWith(queue, readRunnerSettings((name) => env[name], env.RUNNER_SLICE_MS !== undefined), registry);
};

const workerWith = (
  queue: ReturnType<typeof makeQueue>,
  settings: RunnerSettings,
  registry: NativeNodes = nodeRegistry,
  onLateRelease?: () => void,
) =>
  makeWorker({
    onLateRelease,
    claims: queue.claims,
    registryOf: () => onlyNative(registry),
    makeServices: (_, { clock }) => ({
      http: { request: () => Promise.reject(new Error('none')) },
      openConnection: () => Promise.reject(new Error('none')),
      models: uncounted,
      kv: () => ({}) as never,
      files: {} as never,
      project: {} as never,
      inputs: {} as never,
      // Signing takes long.
      transactions: { execute: () => Promise.resolve({ status: 'waiting' }) } as never,
      evaluateExpression: () => undefined,
      rest: clock.resting,
    }),
    settings,
    log: (_, { event }) => queue.events.push(event),
    now: () => Date.now(),
  });

/** Makes a flow of one node, and a registry with that node. `end` ends the run, and `begun` resolves at its begin. */
function stuckFlow() {
  const flow = new FlowBuilder();
  flow.node('stuck');
  const [ended, end] = signal();
  const [begun, begin] = signal();
  const stuck = testNode([], [], async () => {
    begin();
    await ended;
    return {};
  });
  const registry: NativeNodes = (id) => id === 'stuck' ? stuck : nodeRegistry(id);
  return { flow, registry, begun, end };
}

/** Makes a promise, and the function that resolves it. */
function signal(): [Promise<void>, () => void] {
  let give = () => {};
  return [new Promise<void>((resolve) => give = resolve), () => give()];
}

it('a poke after the last look at the queue causes another look', async () => {
  const queue = makeQueue([[claimOf(chainFlow(1))], [], [claimOf(chainFlow(1))]]);
  const worker = workerOf(queue);
  queue.whenClaimed(() => {
    if (queue.calls() === 2) queueMicrotask(() => void worker.drain());
  });
  expect(await worker.drain()).toBe(false);
  expect(queue.finished.size).toBe(2);
});

it('only a worker that is poked waits for the next run in its last look', async () => {
  const poked = makeQueue([[claimOf(chainFlow(1))]]);
  await workerOf(poked, { RUNNER_SLICE_MS: '10000' }).drain();
  expect(poked.waits).toEqual([0, 40]);
  const unpoked = makeQueue([[claimOf(chainFlow(1))]]);
  await workerOf(unpoked).drain();
  expect(unpoked.waits).toEqual([0, 0]);
});

it.each(
  [
    ['that is being claimed causes no look', 'during', 0],
    ['that is being executed causes no look', 'after', 0],
    ['causes another look while another run is being claimed', 'during', 1],
    ['causes another look while another run is being executed', 'after', 1],
  ] as const,
)('a poke for a run %s', async (_, when, looks) => {
  const { flow, registry, begun, end } = stuckFlow();
  const claim = claimOf(flow);
  const queue = makeQueue([[claim]]);
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '60000' }, registry);
  const poke = () => void worker.drain(looks === 0 ? claim.flow_run_id : 'another');
  queue.whenClaimed(() => {
    if (queue.calls() === 1 && when === 'during') queueMicrotask(poke);
  });
  const drained = worker.drain();
  await begun;
  if (when === 'after') poke();
  await waitFor(() => queue.calls() === 1 + looks || undefined);
  end();
  await drained;
  expect(queue.waits).toEqual([0, ...Array.from({ length: looks }, () => 0), 40]);
  expect(queue.finished.size).toBe(1);
});

it('resting runs free their slots for others, up to the limit of held runs', async () => {
  const held = (count: number) => Array.from({ length: count }, () => claimOf(waitFlow(60_000)));
  const queue = makeQueue([held(6)]);
  const { claim } = queue.claims;
  let claimed = 0;
  queue.claims.claim = async (maxRuns, ...rest) => {
    const found = await claim(maxRuns, ...rest);
    claimed += found.length;
    return found;
  };
  const env = {
    RUNNER_CONCURRENCY: '2',
    RUNNER_RESTING_RUNS: '3',
    RUNNER_RESERVED_SLOTS: '0',
    RUNNER_SLICE_MS: '60000',
    RUNNER_LONG_WAIT_MS: '60001',
  };
  const worker = workerOf(queue, env);
  const drained = worker.drain();
  await waitFor(() => claimed === 5 || undefined);
  // The fifth run rests, too. A worker without the limit would now claim the sixth.
  const looks = queue.calls();
  void worker.drain();
  await pause(50);
  expect([claimed, queue.calls()]).toEqual([5, looks]);
  worker.releaseAll();
  await drained;
  expect(queue.released).toHaveLength(5);
});

it('while one owner holds all slots, each other owner gets a reserved one, repeatedly', async () => {
  const queue = makeQueue([]);
  const looks: [count: number, ownersWithSlots: string[] | undefined][] = [];
  const [greedy, first, second] = ['a', 'b', 'c'].map((name) => `00000000-0000-4000-8000-0000000000${name}${name}`);
  const { flow, registry, end } = stuckFlow();
  const runOf = (user_id: string, its = chainFlow(1)) => claimOf(its, { user_id });
  const others = [runOf(first!), runOf(second!), runOf(first!), runOf(first!)];
  queue.claims.claim = (count, _known, _wait, ownersWithSlots) => {
    looks.push([count, ownersWithSlots]);
    if (looks.length === 1) return Promise.resolve([runOf(greedy!, flow), runOf(greedy!, flow)]);
    // Like the database, returns at most one run for each owner who holds no slot.
    const owners = new Set(ownersWithSlots);
    const found = others.filter(({ user_id }) => !owners.has(user_id) && owners.add(user_id)).slice(0, count);
    for (const one of found) others.splice(others.indexOf(one), 1);
    return Promise.resolve(found);
  };
  const env = {
    RUNNER_CONCURRENCY: '2',
    RUNNER_RESTING_RUNS: '0',
    RUNNER_RESERVED_SLOTS: '2',
    RUNNER_SLICE_MS: '60000',
  };
  const drained = workerOf(queue, env, registry).drain();
  await waitFor(() => queue.finished.size === 4 || undefined);
  const whileFull = looks.slice(1);
  end();
  await drained;
  expect(looks.slice(0, 2)).toEqual([[2, undefined], [2, [greedy]]]);
  expect(whileFull.length).toBeGreaterThanOrEqual(3);
  expect(whileFull.every(([, owners]) => owners?.includes(greedy!))).toBe(true);
  expect([...queue.finished.values()].map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
});

it('a run with a long wait is released until its time, and a function looks then if its slice lasts that long', async () => {
  const queue = makeQueue([[claimOf(waitFlow(2_900))]]);
  const sleeps: (number | undefined)[] = [];
  queue.claims.release = (_claim, _progress, seconds) => Promise.resolve(void sleeps.push(seconds));
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '60000', RUNNER_LONG_WAIT_MS: '2000' });
  expect(await worker.drain()).toBe(false);
  // The database counts the delay from the moment at which it stores the release. The delay is therefore at least a
  // second shorter than the rest of the wait.
  expect(sleeps).toEqual([1]);
  expect(queue.events).toEqual(['run_asleep']);
  // The worker looks at the queue when it is empty, when the time of the sleeping run has come, and at the end.
  expect(queue.waits.length).toBeGreaterThanOrEqual(3);
});

it('a function waits for sleeping runs that continue within its slice, and for no later ones', async () => {
  const late = claimOf(waitFlow(86_400_000));
  const queue = makeQueue([[claimOf(waitFlow(2_800)), claimOf(waitFlow(3_500)), late]]);
  const lookedAt: number[] = [];
  queue.whenClaimed(() => lookedAt.push(Date.now()));
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '30000', RUNNER_LONG_WAIT_MS: '2000' });
  const startedAt = Date.now();
  expect(await worker.drain()).toBe(false);
  expect(queue.released).toHaveLength(3);
  expect(lookedAt.some((time) => time - startedAt >= 3_500)).toBe(true);
});

it('a run that was stopped while it was being put to sleep is claimed again at once, while others go on', async () => {
  const asleep = claimOf(waitFlow(3_600_000));
  const { flow, registry, end } = stuckFlow();
  const long = claimOf(flow);
  const batches = [[asleep, long]];
  const queue = makeQueue(batches);
  queue.claims.release = (claim) => {
    batches.push([{ ...claim, claim_number: 2, stop: { reason: null, timeout_millies: 0 } }]);
    return Promise.resolve();
  };
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '60000' }, registry);
  const drained = worker.drain();
  await waitFor(() => queue.finished.size === 1 || undefined);
  end();
  await drained;
  expect([...queue.finished].map(([id, { status }]) => [id, status])).toEqual([
    [asleep.flow_run_id, 'stopped'],
    [long.flow_run_id, 'succeeded'],
  ]);
});

it('a run that has held a slot for a slice is released if others have none', async () => {
  const queue = makeQueue([[claimOf(waitFlow(60_000)), claimOf(waitFlow(60_000))]]);
  const env = {
    RUNNER_CONCURRENCY: '2',
    RUNNER_RESTING_RUNS: '0',
    RUNNER_RESERVED_SLOTS: '0',
    RUNNER_SLICE_MS: '200',
    RUNNER_LONG_WAIT_MS: '60001',
  };
  const settings = readRunnerSettings((name) => env[name as keyof typeof env], false);
  const worker = workerWith(queue, settings);
  const drained = worker.drain();
  await waitFor(() => queue.released.length > 0 || undefined);
  // Only one run is released, because one free slot is enough for now.
  expect(queue.released).toHaveLength(1);
  worker.releaseAll();
  await drained;
});

it('when the slice is over, only the call that began the drain learns that there is more to do', async () => {
  const queue = makeQueue([[claimOf(waitFlow(60_000))]]);
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '100', RUNNER_LONG_WAIT_MS: '60001' });
  const answers = await Promise.all([worker.drain(), worker.drain(), worker.drain()]);
  expect(answers).toEqual([true, false, false]);
  expect(queue.released).toHaveLength(1);
});

/** Makes a worker whose only run does not notice that the run should be released. `answer` ends the run. */
function stuckWorker(env: Record<string, string>) {
  const { flow, registry, end } = stuckFlow();
  const queue = makeQueue([[claimOf(flow)]]);
  return { queue, worker: workerOf(queue, env, registry), answer: end };
}

it('a run that cannot be released keeps no function that is over, however often it is poked', async () => {
  const { worker, answer } = stuckWorker({ RUNNER_SLICE_MS: '100' });
  const drained = worker.drain();
  const poking = setInterval(() => void worker.drain('another'), 10);
  try {
    expect(await drained).toBe(true);
  } finally {
    clearInterval(poking);
  }
  answer();
  await worker.whenIdle();
});

it('a run whose release is stored only after the drain is reported', async () => {
  const queue = makeQueue([[claimOf(waitFlow(60_000))]]);
  const [stored, store] = signal();
  queue.claims.release = () => stored;
  let lateReleases = 0;
  const env: Record<string, string> = { RUNNER_SLICE_MS: '100', RUNNER_LONG_WAIT_MS: '60001' };
  const settings = readRunnerSettings((name) => env[name], true);
  const worker = workerWith(queue, settings, nodeRegistry, () => lateReleases += 1);
  expect(await worker.drain()).toBe(true);
  expect(lateReleases).toBe(0);
  store();
  await worker.whenIdle();
  expect(lateReleases).toBe(1);
});

it('a worker that releases all runs waits for one that cannot be released', async () => {
  const { queue, worker, answer } = stuckWorker({});
  const drained = worker.drain();
  await waitFor(() => queue.calls() > 0 || undefined);
  worker.releaseAll();
  setTimeout(answer, 500);
  await drained;
  expect(queue.finished.size + queue.released.length).toBe(1);
});

it('a batch may have more graphs than the cache keeps, cached ones among them', async () => {
  const settings = readRunnerSettings(() => undefined, false);
  const first = claimOf(chainFlow(1));
  const others = Array.from({ length: settings.cachedSnapshots }, () => claimOf(chainFlow(1)));
  const again = claimOf(chainFlow(1), { snapshot_hash: first.snapshot_hash, snapshot: null });
  const queue = makeQueue([[first], [...others, again]]);
  await workerOf(queue, { RUNNER_CONCURRENCY: String(others.length + 1) }).drain();
  expect([...queue.finished.values()].map(({ status }) => status)).toEqual(Array(others.length + 2).fill('succeeded'));
});

it('a missing graph fails only its run', async () => {
  const lost = claimOf(chainFlow(1), { snapshot: null });
  const queue = makeQueue([[lost, claimOf(chainFlow(1))]]);
  await workerOf(queue).drain();
  expect(queue.finished.get(lost.flow_run_id)?.errors).toEqual([expect.stringMatching(/^internal: /)]);
  expect([...queue.finished.values()].map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
});

it('a run that lost two workers is executed alone, and the other runs are claimed again', async () => {
  const slow = claimOf(waitFlow(60_000));
  const suspect = claimOf(chainFlow(3), { lost_claim_count: 2 });
  const queue = makeQueue([[slow], [suspect], [claimOf(chainFlow(1))]]);
  const worker = workerOf(queue);
  const drained = worker.drain();
  await waitFor(() => queue.calls() >= 1 || undefined);
  void worker.drain();
  expect(await drained).toBe(false);
  expect(queue.released).toEqual([slow.flow_run_id]);
  expect(queue.finished.get(suspect.flow_run_id)?.status).toBe('succeeded');
  expect(queue.events.indexOf('run_released')).toBeLessThan(queue.events.indexOf('run_finished'));
});

it("progress that the database refuses permanently fails the run, and the run's error says so", async () => {
  const queue = makeQueue([[claimOf(waitFlow(1_500))]]);
  let finishes = 0;
  const { finish } = queue.claims;
  queue.claims.checkpoint = () => Promise.reject(new ApiError(500, { code: 'internal', message: 'no' }));
  queue.claims.finish = (...call) => {
    finishes += 1;
    return finish(...call);
  };
  await workerOf(queue).drain();
  expect(finishes).toBe(1);
  expect([...queue.finished.values()]).toEqual([{
    status: 'failed',
    output: { M: {} },
    errors: ['internal: the progress or the result of this run could not be stored'],
    not_run: null,
  }]);
  expect(queue.events).toEqual(['run_interrupted', 'run_finished']);
});

it('a run whose result is being stored frees its slot', async () => {
  const queue = makeQueue([[claimOf(chainFlow(1))], [claimOf(chainFlow(1))]]);
  const { finish } = queue.claims;
  const [isReleased, store] = signal();
  const storing: string[] = [];
  queue.claims.finish = async (claim, ...rest) => {
    storing.push(claim.flow_run_id);
    await isReleased;
    await finish(claim, ...rest);
  };
  const drained = workerOf(queue, { RUNNER_CONCURRENCY: '1' }).drain();
  await waitFor(() => storing.length === 2 || undefined);
  expect(queue.finished.size).toBe(0);
  store();
  await drained;
  expect(queue.finished.size).toBe(2);
});

it.each<{ who: string; env: Record<string, string>; calls: number }>([
  { who: 'one that starts tell', env: { RUNNER_SLICE_MS: '60000' }, calls: 2 },
  { who: 'one that nobody tells', env: {}, calls: 3 },
])('of two runs that end one after the other $who looks $calls times', async ({ env, calls }) => {
  const { flow, registry, end } = stuckFlow();
  const queue = makeQueue([[claimOf(chainFlow(1)), claimOf(flow)]]);
  const drained = workerOf(queue, env, registry).drain();
  await waitFor(() => (queue.finished.size === 1 && queue.calls() >= calls - 1) || undefined);
  end();
  await drained;
  expect(queue.finished.size).toBe(2);
  expect(queue.calls()).toBe(calls);
});

it('a run that was answered while it was being suspended is claimed again at once, while others go on', async () => {
  const paying = new FlowBuilder(instructionRegistry);
  paying.output('out', paying.use('test_instruction', { name: paying.input('n') }).output('signature'));
  const asking = claimOf(paying, { inputs: { M: { n: { S: 'a' } } } });
  const { flow, registry: stuckRegistry, end } = stuckFlow();
  const long = claimOf(flow);
  const batches = [[asking, long]];
  const queue = makeQueue(batches);
  queue.claims.suspend = (claim) => {
    batches.push([{ ...claim, claim_number: 2, stop: { reason: null, timeout_millies: 0 } }]);
    return Promise.resolve();
  };
  const registry: NativeNodes = (id) => instructionRegistry(id) ?? stuckRegistry(id);
  const drained = workerOf(queue, { RUNNER_SLICE_MS: '60000' }, registry).drain();
  await waitFor(() => queue.finished.size === 1 || undefined);
  end();
  await drained;
  expect([...queue.finished].map(([id, { status }]) => [id, status])).toEqual([
    [asking.flow_run_id, 'stopped'],
    [long.flow_run_id, 'succeeded'],
  ]);
});

it('a run that is to stop does not wait for memory, whether the stop came with the claim or later', async () => {
  const output_bytes = 12_000_000;
  const stop = { reason: null, timeout_millies: 0 };
  const holding = claimOf(waitFlow(60_000), { output_bytes });
  const told = claimOf(waitFlow(60_000), { output_bytes });
  const late = claimOf(waitFlow(60_000), { output_bytes, stop });
  const queue = makeQueue([[holding, told, late]]);
  queue.claims.heartbeat = () =>
    Promise.resolve([{ flow_run_id: told.flow_run_id, is_lost: false, stop, has_ended_inputs: false }]);
  const worker = workerOf(queue, { RUNNER_LONG_WAIT_MS: '60001' });
  const drained = worker.drain();
  await waitFor(() => queue.finished.size === 2 || undefined);
  expect([late, told].map(({ flow_run_id }) => queue.finished.get(flow_run_id)?.status)).toEqual([
    'stopped',
    'stopped',
  ]);
  worker.releaseAll();
  await drained;
});

it('a look that failed while runs were held is repeated when one of them ends', async () => {
  const queue = makeQueue([[claimOf(waitFlow(50))], [claimOf(chainFlow(1))]]);
  const worker = workerOf(queue, { RUNNER_SLICE_MS: '60000' });
  const { claim } = queue.claims;
  let hasFailed = false;
  queue.claims.claim = async (...asked) => {
    if (queue.calls() === 1 && !hasFailed) {
      hasFailed = true;
      throw new ApiError(503, { code: 'service_unavailable', message: 'not now' });
    }
    return await claim(...asked);
  };
  queue.whenClaimed(() => {
    if (queue.calls() === 1) queueMicrotask(() => void worker.drain());
  });
  await worker.drain();
  expect(hasFailed).toBe(true);
  expect(queue.finished.size).toBe(2);
});
