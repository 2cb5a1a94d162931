import { expect, it } from 'vitest';
import { apiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { Released } from '../engine/node.ts';
import { makeModelMeter } from './model_meter.ts';

const CLAIM = { flow_run_id: 'run', claim_number: 3 };

/** Makes a meter whose database answers by these functions, and records the reports. */
function meter(answer: { begin?: () => unknown; store?: () => unknown }) {
  const reports: unknown[] = [];
  // SAFETY: the meter calls only two functions.
  const rpc = (async (name: string, args: { claim: object; usage: unknown }) => {
    expect(args.claim).toEqual(CLAIM);
    if (name === 'begin_model_call') return answer.begin?.() ?? { usage: {}, fault: null };
    reports.push(args.usage);
    return answer.store?.();
  }) as Rpc;
  return { meter: makeModelMeter(rpc, CLAIM), reports };
}

it('reports the usage of the whole run, with that of earlier claims', async () => {
  const before = { a: { requests: 1, input_tokens: 10, output_tokens: 1 } };
  const { meter: made, reports } = meter({ begin: () => ({ usage: before, fault: null }) });
  await Promise.all([made.begin(), made.begin()]);
  await made.end('a', { inputTokens: 5, outputTokens: 2 });
  await made.end('__proto__', { inputTokens: 1, outputTokens: 1 });
  expect(JSON.stringify(reports.at(-1))).toBe(
    '{"a":{"requests":2,"input_tokens":15,"output_tokens":3},"__proto__":{"requests":1,"input_tokens":1,"output_tokens":1}}',
  );
});

it('a reached limit fails the node, and an unreachable database releases the run', async () => {
  await expect(meter({ begin: () => ({ usage: {}, fault: 'too many' }) }).meter.begin())
    .rejects.toThrow('model_limit_reached: too many');
  const lost = () => {
    throw apiError('claim_lost', 'This claim is over.');
  };
  await expect(meter({ begin: lost }).meter.begin()).rejects.toThrow(Released);
});

it('a lost report is made up for by the next one', async () => {
  let fails = true;
  const { meter: made, reports } = meter({
    store: () => {
      if (fails) throw new Error('down');
    },
  });
  await made.begin();
  await made.end('a', { inputTokens: 5, outputTokens: 2 });
  fails = false;
  await made.end('a', { inputTokens: 5, outputTokens: 2 });
  expect(reports.at(-1)).toEqual({ a: { requests: 2, input_tokens: 10, output_tokens: 4 } });
});
