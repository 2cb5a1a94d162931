import { expect, it } from 'vitest';
import { ApiError } from '../../_shared/api_error.ts';
import { type Effect, Released } from '../engine/node.ts';
import { makeClaimInputs } from './claim_inputs.ts';
import type { Claim, StoredInput } from './claims.ts';

// SAFETY: nothing of a claim is read here.
const claim = {} as Claim;
const executionOf = (times: number): Effect => ({ flow_run_id: 'run', node_id: 'node', times });

/** The inputs of a claim, whose looks are answered by `stored`; and what was done, in order. */
function makeInputs(stored: (execution: Effect) => StoredInput | undefined = () => undefined, flowUrl?: string) {
  const done: string[] = [];
  const listeners: (() => void)[] = [];
  const inputs = makeClaimInputs({
    claim,
    claims: {
      takeInputs: (_, executions) => {
        done.push(`take ${executions.map(({ times }) => times)}`);
        return Promise.resolve(executions.flatMap((execution) => stored(execution) ?? []));
      },
    },
    journal: { flush: () => Promise.resolve(void done.push('flush')) },
    onInputsAnswered: (listener) => void listeners.push(listener),
    flowUrl,
  });
  return { inputs, done, tell: () => listeners.forEach((listener) => listener()) };
}

const open = (execution: Effect): StoredInput => ({ ...execution, outcome: null, value: null, left_ms: 5 });

it('makes another address each time, of a token that nobody guesses', () => {
  const { inputs } = makeInputs(undefined, 'https://example.com/flow');
  const [one, two] = [inputs.makeAddress(), inputs.makeAddress()];
  expect(one.token).toMatch(/^fi_[A-Za-z0-9_-]{43}$/);
  expect(one.url).toBe(`https://example.com/flow/submit/${one.token}`);
  expect(two.token).not.toBe(one.token);
});

it('says what a worker lacks that does not know the address', () => {
  expect(() => makeInputs().inputs.makeAddress()).toThrow('input_address_unknown: the worker lacks');
});

it('looks at all that is asked for in one turn in one call, once what was asked for is stored', async () => {
  const { inputs, done } = makeInputs((execution) => ({
    ...open(execution),
    ...(execution.times === 1 && { outcome: 'submitted', value: { U: '1' } }),
    ...(execution.times === 2 && { outcome: 'cancelled' }),
  }));
  const states = await Promise.all([0, 1, 2].map((times) => inputs.look(executionOf(times))));
  expect(states).toEqual([{ status: 'open', leftMs: 5 }, { status: 'submitted', value: { U: '1' } }, {
    status: 'cancelled',
  }]);
  expect(done).toEqual(['flush', 'take 0,1,2']);
  await inputs.look(executionOf(3));
  expect(done.slice(2)).toEqual(['flush', 'take 3']);
});

it('wakes all who wait when there is news', async () => {
  const { inputs, tell } = makeInputs();
  const waits = [inputs.untilNews(3_600_000), inputs.untilNews(3_600_000)];
  tell();
  await Promise.all(waits);
});

it.each(['claim_lost', 'service_unavailable'])('leaves the look to the next claim after %s', async (code) => {
  const { inputs } = makeInputs(() => {
    throw new ApiError(409, { code, message: 'x', details: null, hint: null } as never);
  });
  await expect(inputs.look(executionOf(0))).rejects.toThrow(Released);
});

it('takes it for a fault when the database does not know what was asked for', async () => {
  await expect(makeInputs().inputs.look(executionOf(0))).rejects.toThrow('is stored');
});
