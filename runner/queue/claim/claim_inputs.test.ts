import { expect, it } from 'vitest';
import { ApiError } from '../../../platform/api_error.ts';
import { type Effect, Released } from '../../engine/node.ts';
import { makeClaimInputs } from './claim_inputs.ts';
import type { Claim, StoredInput } from './claims.ts';

// SAFETY: these tests read no member of a claim.
const claim = {} as Claim;
const executionOf = (times: number): Effect => ({ flow_run_id: 'run', node_id: 'node', times });

/** Makes the inputs of a claim, and records the calls in order. `stored` answers reads of inputs. */
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

it("makes a different address each time, with a token that can't be guessed", () => {
  const { inputs } = makeInputs(undefined, 'https://example.com/flow');
  const [one, two] = [inputs.makeAddress(), inputs.makeAddress()];
  expect(one.token).toMatch(/^fi_[A-Za-z0-9_-]{43}$/);
  expect(one.url).toBe(`https://example.com/flow/submit/${one.token}`);
  expect(two.token).not.toBe(one.token);
});

it('names the missing setting of a worker without the address', () => {
  expect(() => makeInputs().inputs.makeAddress()).toThrow('input_address_unknown: the worker lacks');
});

it('reads all inputs that are requested in one turn by one call, after they are stored', async () => {
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

it('wakes all waiting nodes when inputs have been answered', async () => {
  const { inputs, tell } = makeInputs();
  const waits = [inputs.untilNews(3_600_000), inputs.untilNews(3_600_000)];
  tell();
  await Promise.all(waits);
});

it.each(['claim_lost', 'service_unavailable'])(
  'releases the run after %s, so that the next claim reads the inputs',
  async (code) => {
    const { inputs } = makeInputs(() => {
      throw new ApiError(409, { code, message: 'x', details: null, hint: null } as never);
    });
    await expect(inputs.look(executionOf(0))).rejects.toThrow(Released);
  },
);

it('fails when the database does not know a requested input', async () => {
  await expect(makeInputs().inputs.look(executionOf(0))).rejects.toThrow('has no state for an input');
});
