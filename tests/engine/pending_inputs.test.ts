import { expect, it } from 'vitest';
import type { InputState, NodeModule, PendingInputs } from '../../runner/engine/node.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { claimFlow, endOf, type ExecuteFlowOptions, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { askingFlow, makeInputs } from '../support/pending_inputs.ts';
import { waitFor } from '../support/wait.ts';

const HOUR = 3_600_000;

/** Options with which a claim releases its run as soon as the run only waits. */
const sleepy = (inputs: PendingInputs, more: ExecuteFlowOptions = {}): ExecuteFlowOptions => ({
  services: { inputs },
  leastSleepMs: 10_000,
  now: Date.now,
  ...more,
});

it('a run that waits for an input sleeps until the input expires, and requests it once, together with its log line', async () => {
  const { inputs, looks } = makeInputs();
  const { result, events, recorded } = await claimFlow(askingFlow({ timeout: 3_600 }), {}, sleepy(inputs));
  expect(result).toMatchObject({ status: 'released', until: expect.any(Number) });
  expect(looks).toEqual([]);
  const batches = new Map(events.map(({ type, batch }) => [type, batch]));
  expect([batches.get('nodeBegan'), batches.get('logged')]).toEqual([
    batches.get('inputAsked'),
    batches.get('inputAsked'),
  ]);
  expect(recorded.inputs).toEqual([
    expect.objectContaining({ token: 'token1', url: 'https://example.com/token1', timeout_ms: HOUR, times: 0 }),
  ]);
  expect(recorded.logs[0]?.content).toContain('https://example.com/token1');
});

it.each<[string, InputState, unknown]>([
  ['submitted', { status: 'submitted', value: { S: 'yes' } }, { M: { answer: { S: 'yes' } } }],
  ['cancelled', { status: 'cancelled' }, 'input_cancelled: somebody has cancelled the input'],
  ['expired', { status: 'expired' }, 'input_expired: nobody has sent a value in time'],
])('the next claim reads the requested input again, and the run ends after the input was %s', async (_, state, end) => {
  const { inputs, set } = makeInputs();
  const asleep = await claimFlow(askingFlow(), {}, sleepy(inputs));
  const [asked] = asleep.recorded.inputs;
  // No answer has come. So the run sleeps again, and does not request the input again.
  const again = await claimFlow(askingFlow(), {}, sleepy(inputs, { earlier: asleep.recorded }));
  expect(again.result.status).toBe('released');
  expect(again.recorded).toEqual(asleep.recorded);

  set(asked!, state);
  const { result, recorded } = await claimFlow(askingFlow(), {}, sleepy(inputs, { earlier: again.recorded }));
  const { output, errors } = endOf(result);
  expect(errors === null ? output : errors[0]!.slice(errors[0]!.indexOf(': ') + 2)).toEqual(end);
  expect([recorded.inputs.length, recorded.logs.length]).toEqual([1, 1]);
});

it('a node whose input is answered continues at once, without waiting for other running nodes', async () => {
  const { inputs, set } = makeInputs();
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => release = resolve);
  const slow: NodeModule = testNode(['in'], ['out'], async () => {
    await isReleased;
    return { out: { S: 'done' } };
  });
  const heard: string[] = [];
  const hears: NodeModule = testNode(['in'], ['out'], ({ inputs }) => {
    heard.push(JSON.stringify(inputs.in));
    release();
    return { out: inputs.in! };
  });
  const registry = (id: string) => ({ slow, hears } as Record<string, NodeModule>)[id] ?? nodeRegistry(id);
  const flow = new FlowBuilder(registry);
  const node = flow.use('api_input');
  flow.output('answer', flow.use('hears', { in: node.output('value') }).output('out'));
  flow.output('slow', flow.use('slow', { in: flow.json(1) }).output('out'));
  const claim = claimFlow(flow, {}, sleepy(inputs, { registry }));
  set({ flow_run_id: '01930000-0000-7000-8000-000000000001', node_id: node.id, times: 0 }, {
    status: 'submitted',
    value: { S: 'yes' },
  });
  const { result } = await claim;
  expect(endOf(result).output).toEqual({ M: { answer: { S: 'yes' }, slow: { S: 'done' } } });
  expect(heard).toEqual(['{"S":"yes"}']);
});

it('a node that waits again after a read lets its run sleep, even without other events', async () => {
  const { inputs, looks } = makeInputs();
  const asleep = await claimFlow(askingFlow(), {}, sleepy(inputs));
  const { result } = await claimFlow(askingFlow(), {}, sleepy(inputs, { earlier: asleep.recorded }));
  expect([result.status, looks.length]).toEqual(['released', 1]);
});

it('a stop ends the wait at once, even while running nodes have time left to end', async () => {
  const { inputs, waiting } = makeInputs();
  const stop = new AbortController();
  const claim = claimFlow(askingFlow(), {}, { services: { inputs }, stop: stop.signal, now: Date.now });
  await waitFor(() => waiting() === 1 || undefined);
  stop.abort({ status: 'stopped', message: 'canceled by user', graceMs: HOUR });
  const { status, errors } = endOf((await claim).result);
  expect([status, errors?.[0]]).toEqual(['stopped', expect.stringContaining('canceled by user')]);
  expect(waiting()).toBe(0);
});

it('a worker that ends releases the run, which continues to wait in the next claim', async () => {
  const { inputs, waiting } = makeInputs();
  const slice = makeSlice(UNLIMITED);
  const claim = claimFlow(askingFlow(), {}, { services: { inputs }, slice, now: Date.now });
  await waitFor(() => waiting() === 1 || undefined);
  slice.end();
  const { result, recorded } = await claim;
  expect(result).toEqual({ status: 'released' });
  expect(recorded.inputs).toHaveLength(1);
});

it('collected instructions make no transaction while the run waits for an input', async () => {
  const { inputs } = makeInputs();
  const flow = askingFlow();
  const payer = flow.constant({ B3: 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs' });
  flow.use('memo', { fee_payer: payer, memo: flow.json('hello') });
  const { result, events } = await claimFlow(flow, {}, sleepy(inputs));
  expect(result.status).toBe('released');
  expect(events.filter(({ type }) => type === 'transactionStored')).toEqual([]);
});
