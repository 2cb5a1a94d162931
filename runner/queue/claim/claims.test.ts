import { expect, it } from 'vitest';
import { waitFor } from '../../../tests/support/wait.ts';
import { nextTurn } from '../../../platform/pause.ts';
import { ApiError } from '../../../platform/api_error.ts';
import { type Claim, type FinalResult, makeClaims, NO_PROGRESS, type Progress, resultBytes } from './claims.ts';

const large = (length: number) => ({ M: { value: { A: [{ S: 'x'.repeat(length) }] } } });
const RESULT: FinalResult = { status: 'succeeded', output: { M: {} }, errors: null, not_run: [] };

interface Call {
  name: string;
  runs: string[];
  answer: (value: unknown) => void;
  refuse: (code: string) => void;
}

/** Makes claims over a database whose answers the test sets. */
function makeDatabase(retryMs = 0) {
  const calls: Call[] = [];
  const rpc = (name: string, args: { flow_run_id?: string; results?: { flow_run_id: string }[] }) =>
    new Promise((resolve, reject) => {
      calls.push({
        name,
        runs: args.results?.map(({ flow_run_id }) => flow_run_id) ?? [args.flow_run_id!],
        answer: resolve,
        refuse: (code) => reject(new ApiError(409, { code, message: code })),
      });
    });
  const claims = makeClaims(rpc as never, {
    runnerLeaseSeconds: 30,
    runnerMaxLostClaims: 5,
    retryMs,
    historyPageBytes: 1,
  });
  const finish = (id: string, { bytes = 0, owner = 'owner' } = {}) => {
    const claim = { flow_run_id: id, user_id: owner, claim_number: 1 } as Claim;
    return claims.finish(claim, NO_PROGRESS, { ...RESULT, output: large(bytes) }).then(
      () => 'done',
      ({ code }) => code,
    );
  };
  const store = (kind: 'checkpoint' | 'release', id: string, { bytes = 0, owner = 'owner' } = {}) => {
    const claim = { flow_run_id: id, user_id: owner, claim_number: 1 } as Claim;
    // SAFETY: claims read no other member of a stored execution.
    const node_runs = [{ input: { M: {} }, output: large(bytes) }] as never;
    return claims[kind](claim, { ...NO_PROGRESS, node_runs });
  };
  /** Waits for the calls of this turn of the event loop and of the next one, and returns the newest calls. */
  const newest = async (count: number): Promise<Call[]> => {
    await nextTurn();
    await nextTurn();
    return calls.slice(-count);
  };
  return { finish, store, newest };
}

it('results that come while another result is being stored are stored together', async () => {
  const { finish, newest } = makeDatabase();
  const outcomes = [finish('a')];
  const [alone] = await newest(1);
  expect(alone).toMatchObject({ name: 'finish_flow_runs', runs: ['a'] });
  outcomes.push(finish('b'), finish('c'));
  alone!.answer(['a']);
  const [together] = await newest(1);
  expect(together).toMatchObject({ name: 'finish_flow_runs', runs: ['b', 'c'] });
  together!.answer(['b', 'c']);
  expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'done']);
});

it('a result that the call for its group did not store is stored alone, gets its own answer, and delays no other result', async () => {
  const { finish, newest } = makeDatabase();
  const outcomes = [finish('a'), finish('b')];
  const [together] = await newest(1);
  together!.answer(['b']);
  const [left] = await newest(1);
  expect(left).toMatchObject({ name: 'finish_flow_run', runs: ['a'] });
  const next = finish('c');
  const [third] = await newest(1);
  expect(third).toMatchObject({ name: 'finish_flow_runs', runs: ['c'] });
  third!.answer(['c']);
  expect(await next).toBe('done');
  left!.refuse('claim_lost');
  expect(await Promise.all(outcomes)).toEqual(['claim_lost', 'done']);
});

it("a result that can't be stored does not stop the others", async () => {
  const { finish, newest } = makeDatabase();
  const outcomes = [finish('a'), finish('b')];
  const [together] = await newest(1);
  together!.refuse('internal');
  const [first, second] = await newest(2);
  expect([first, second]).toMatchObject([{ runs: ['a'] }, { runs: ['b'] }]);
  first!.refuse('internal');
  second!.answer(null);
  expect(await Promise.all(outcomes)).toEqual(['internal', 'done']);
});

it('when the database does not answer, results are not sent again one by one', async () => {
  const { finish, newest } = makeDatabase();
  const outcomes = [finish('a'), finish('b')];
  const [together] = await newest(1);
  together!.refuse('service_unavailable');
  expect(await Promise.all(outcomes)).toEqual(['service_unavailable', 'service_unavailable']);
  expect(await newest(2)).toHaveLength(1);
});

it('large progress waits for the large writes of its owner, and small progress does not', async () => {
  const { store, newest } = makeDatabase();
  const bytes = 70_000;
  const stored = [store('checkpoint', 'a', { bytes, owner: 'ann' }), store('checkpoint', 'b', { bytes, owner: 'bob' })];
  const [a] = await newest(2);
  stored.push(store('release', 'c', { bytes, owner: 'ann' }), store('checkpoint', 'small', { owner: 'ann' }));
  const [b, small] = await newest(2);
  expect([b, small]).toMatchObject([{ runs: ['b'] }, { name: 'checkpoint_flow_run', runs: ['small'] }]);
  a!.answer(null);
  const [c] = await newest(1);
  expect(c).toMatchObject({ name: 'release_flow_run', runs: ['c'] });
  for (const call of [b, small, c]) call!.answer(null);
  await Promise.all(stored);
});

it('large results are stored beside small ones, one of each owner at a time, and owners take turns', async () => {
  const { finish, newest } = makeDatabase();
  const bytes = 70_000;
  const outcomes = [
    ...['a1', 'a2', 'a3', 'a4'].map((id) => finish(id, { bytes, owner: 'a' })),
    finish('b1', { bytes, owner: 'b' }),
    finish('c1', { bytes, owner: 'c' }),
    finish('small', { owner: 'd' }),
  ];
  const began = await newest(9);
  const order = began.map(({ runs }) => runs[0]);
  expect(order).toContain('small');
  for (const calls = [...began]; calls.length > 0;) {
    const call = calls.shift()!;
    call.answer(call.runs);
    const all = await newest(9);
    for (const next of all.filter(({ runs }) => !order.includes(runs[0]))) {
      order.push(next.runs[0]);
      calls.push(next);
    }
  }
  expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => 'done'));
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
  expect(order.indexOf('c1')).toBeLessThan(order.indexOf('a4'));
});

it('a result that a gateway refuses because too many bodies wait is stored later', async () => {
  const { finish, newest } = makeDatabase(60_000);
  const outcome = finish('a');
  const [refused] = await newest(1);
  refused!.refuse('too_many_requests');
  const again = await waitFor(async () => (await newest(2))[1]);
  again.answer(['a']);
  expect(await outcome).toBe('done');
});

const ID = '019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e';
const NODE_RUN = { flow_run_id: ID, node_id: ID, times: 0, start_time: '', end_time: '', errors: null };

it.each<[string, Partial<FinalResult>, Partial<Progress>]>([
  ['an output', { output: large(100_000) }, {}],
  ['errors', { errors: Array.from({ length: 100 }, () => 'x'.repeat(1_000)) }, {}],
  ['nodes that did not run', { not_run: Array.from({ length: 3_000 }, () => ID) }, {}],
  ['node runs', {}, { node_runs: [{ ...NODE_RUN, input: large(50_000), output: large(50_000) }] as never }],
  ['called runs', {}, { children: [{ id: ID, inputs: large(50_000), output: large(50_000) }] as never }],
  ['log lines', {}, { logs: [{ flow_run_id: ID, log_index: 0, content: 'x'.repeat(100_000) }] as never }],
  ['transactions', {}, {
    transactions: Array.from({ length: 600 }, () => ({ ...NODE_RUN, outcome: 'failed' })) as never,
  }],
])('the size of a result with %s is about that of its JSON', (_what, result, progress) => {
  const whole = { ...RESULT, ...result, progress: { ...NO_PROGRESS, ...progress } };
  const { length } = JSON.stringify(whole);
  expect(length).toBeGreaterThan(95_000);
  expect(resultBytes(whole) / length).toBeGreaterThan(0.9);
  expect(resultBytes(whole) / length).toBeLessThan(1.3);
});

it('a claim that finds no runs may report due webhooks', async () => {
  const answers: object[][] = [[{ flow_run_id: 'a', has_due_webhook: false }], [], [{
    flow_run_id: null,
    has_due_webhook: true,
  }]];
  let told = 0;
  const options = { runnerLeaseSeconds: 30, runnerMaxLostClaims: 5, retryMs: 0, historyPageBytes: 1 };
  const claims = makeClaims((async () => answers.shift()) as never, options, () => told++);
  const found: [number, number][] = [];
  while (answers.length > 0) found.push([(await claims.claim(1, [], 0)).length, told]);
  expect(found).toEqual([[1, 0], [0, 0], [0, 1]]);
});
