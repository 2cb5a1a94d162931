import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Claim, ClaimChange } from './claim/claims.ts';
import type { ClaimExecution } from './claim/claim_execution.ts';
import { makeHeartbeat } from './heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// SAFETY: these tests read no other member of a claim.
const claimOf = (flow_run_id: string) => ({ flow_run_id }) as Partial<Claim> as Claim;

/** Makes a worker that executes these runs and holds one more claim, and records its heartbeats. */
function hold(...ids: string[]) {
  const told: string[] = [];
  const executions = ids.map((id) =>
    // SAFETY: the heartbeat calls no other function of an execution.
    ({
      claim: claimOf(id),
      lose: () => told.push(`${id} is lost`),
      stop: ({ reason }) => told.push(`${id} stops: ${reason}`),
      tellOfInputs: () => told.push(`${id} has inputs`),
    }) as Partial<ClaimExecution> as ClaimExecution
  );
  const aside = [claimOf('aside')];
  const beats: string[][] = [];
  let answer: () => Promise<ClaimChange[]> = () => Promise.resolve([]);
  const heartbeat = makeHeartbeat({
    claims: {
      heartbeat: (held) => {
        beats.push(held.map(({ flow_run_id }) => flow_run_id));
        return answer();
      },
    },
    runs: {
      claims: () => [...executions.map(({ claim }) => claim), ...aside],
      count: () => executions.length,
      executions: () => executions,
    },
    everyMs: 1_000,
    onBeat: () => told.push('beat'),
  });
  const free = () => void [executions.splice(0), aside.splice(0)];
  return { heartbeat, beats, told, free, answerWith: (given: typeof answer) => answer = given };
}

it('extends all leases while there are claims, and informs runs of changes', async () => {
  const { heartbeat, beats, told, free, answerWith } = hold('a', 'b', 'c');
  answerWith(() =>
    Promise.resolve([
      { flow_run_id: 'a', is_lost: true, stop: null, has_ended_inputs: false },
      { flow_run_id: 'b', is_lost: false, stop: null, has_ended_inputs: true },
      { flow_run_id: 'c', is_lost: false, stop: { reason: 'enough', timeout_millies: null }, has_ended_inputs: false },
    ])
  );
  heartbeat.start();
  heartbeat.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(beats).toEqual([['a', 'b', 'c', 'aside']]);
  expect(told).toEqual(['beat', 'a is lost', 'b has inputs', 'c stops: enough']);
  free();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(beats).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('ends exactly when the last claim has ended, so that a stopped worker ends at once', async () => {
  const { heartbeat, beats, free } = hold('a');
  heartbeat.start();
  heartbeat.endIfNothingIsHeld();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(beats).toHaveLength(1);
  free();
  heartbeat.endIfNothingIsHeld();
  expect(vi.getTimerCount()).toBe(0);
  heartbeat.start();
  expect(vi.getTimerCount()).toBe(1);
});

it('beats again after a failed beat, and never while another beat is under way', async () => {
  const { heartbeat, beats, answerWith } = hold('a');
  answerWith(() => Promise.reject(new Error('no answer')));
  heartbeat.start();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(beats).toHaveLength(2);
  answerWith(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(beats).toHaveLength(3);
});

it('catches up with one beat if beats were missed, and sends none if a beat was sent recently', async () => {
  const { heartbeat, beats, free } = hold('a');
  await vi.advanceTimersByTimeAsync(2_001);
  await heartbeat.catchUp();
  expect(beats).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await heartbeat.catchUp();
  expect(beats).toHaveLength(1);
  free();
  await vi.advanceTimersByTimeAsync(1);
  await heartbeat.catchUp();
  expect(beats).toHaveLength(1);
});
