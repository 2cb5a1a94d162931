import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../support/claimed_run.ts';
import { type CountedFlow, serveCountedFlow } from './counted_flow.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { askFor } from '../support/signature_requests.ts';
import { waitFor } from '../support/wait.ts';

const ROUTES = ['output', 'signature_request'];
/**
 * A number of looks. A look is one query for all waiting callers together. If none of so many looks in a row asks for a
 * run, no caller waits for that run. During the first ten seconds of a wait, there is a look every tenth of a second.
 */
const ENOUGH_LOOKS = 20;

let owner: Person;
let flow: CountedFlow;
let [left, right]: ClaimedRun[] = [];

beforeAll(async () => {
  owner = await signUp();
  flow = await serveCountedFlow();
});
beforeEach(async () => {
  [left, right] = await Promise.all([makeClaimedRun(owner.id), makeClaimedRun(owner.id)]);
  flow.forget();
});
afterAll(() => flow?.stop());

/** Returns the status of an answer, and the error's code if there is one. */
async function readAnswer(response: Response | string): Promise<string> {
  if (typeof response === 'string') return response;
  const body = response.status === 204 ? {} : await response.json() as { code?: string };
  return [response.status, body.code].join(' ').trim();
}

it.each(ROUTES)('the function stops polling for the %s of a run after its caller has disconnected', async (route) => {
  const [goes, stays] = [new AbortController(), new AbortController()];
  const answers = [
    flow.ask(route, left!, { signal: goes.signal }),
    flow.ask(route, right!, { signal: stays.signal }),
  ];
  await waitFor(() => flow.looks().some((line) => line.includes(left!.id) && line.includes(right!.id)) || undefined);
  goes.abort();
  expect(await answers[0]).toBe('AbortError');
  await waitFor(() => {
    const last = flow.looks().slice(-ENOUGH_LOOKS);
    return last.every((line) => !line.includes(left!.id) && line.includes(right!.id)) || undefined;
  });
  stays.abort();
  await answers[1];
  // After the disconnection, the function makes no further request for this caller.
  const told = flow.asked().filter((line) =>
    line.includes('rpc/') && !line.includes('asking') && line.includes(left!.id)
  );
  expect(told).toHaveLength(1);
});

it('hundreds of waiting callers share one look, and hold no database connection', async () => {
  const all = new AbortController();
  const waiting = Array.from({ length: 300 }, () => flow.ask('output', left!, { signal: all.signal }));
  await waitFor(() =>
    flow.asked().filter((line) => line.includes('await_flow_run_result')).length === 300 || undefined
  );
  await waitFor(() => flow.looks().length > 0 || undefined);
  // Another caller is answered meanwhile.
  expect(await readAnswer(await flow.ask('output', right!, { wait: 0 }))).toBe('202');
  await left!.end();
  const answers = await Promise.all((await Promise.all(waiting)).map(readAnswer));
  expect(new Set(answers)).toEqual(new Set(['409 run_stopped']));
  // There is one call for each caller. The shared looks are not counted here.
  const own = flow.asked().filter((line) => line.includes(left!.id) && !flow.looks().includes(line));
  expect(own).toHaveLength(300);
});

it('callers who wait for a signature request get it when it is made, or learn that none will come', async () => {
  const waiting = [left!, right!].map((run) => flow.ask('signature_request', run));
  await waitFor(() => flow.looks().some((line) => line.includes(left!.id) && line.includes(right!.id)) || undefined);
  const id = await askFor(left!, makeKeypair());
  const request = await waiting[0];
  expect(request).toBeInstanceOf(Response);
  expect(await (request as Response).json()).toMatchObject({ id, flow_run_id: left!.id });
  await right!.end();
  expect(await readAnswer(await waiting[1]!)).toBe('404 signature_request_not_found');
});
