import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { apiInputNode } from './index.ts';

/** Runs the node and returns the wait in milliseconds that it requested. */
async function askWith(timeout?: Value): Promise<number> {
  let asked = Number.NaN;
  const askForInput = (timeoutMs: number) => {
    asked = timeoutMs;
    return Promise.resolve({ S: 'yes' });
  };
  const inputs: ValueMap = timeout === undefined ? {} : { timeout };
  expect(await runNode(apiInputNode, inputs, { askForInput })).toEqual({ value: { S: 'yes' } });
  return asked;
}

it.each<[Value | undefined, number]>([
  [undefined, 604_800_000],
  [{ N: 0 }, 604_800_000],
  [{ U: '1' }, 1_000],
  [{ F: '1.5' }, 1_500],
  [{ D: '90.0' }, 90_000],
  [{ U: '2592000' }, 2_592_000_000],
])('api_input with the timeout %j waits %i ms and outputs the submitted value', async (timeout, asked) => {
  expect(await askWith(timeout)).toBe(asked);
});

it.each<Value>([{ U: '0' }, { F: '0.9' }, { I: '-5' }, { U: '2592001' }, { F: 'inf' }, { F: 'NaN' }])(
  'api_input refuses the timeout %j',
  async (timeout) => {
    await expect(runNode(apiInputNode, { timeout })).rejects.toThrow(
      'timeout: must be a number of seconds from 1 to 2592000',
    );
  },
);

it('api_input refuses a timeout that is no number', async () => {
  await expect(runNode(apiInputNode, { timeout: { S: '60' } })).rejects.toThrow('timeout: invalid type: string');
});
