import { expect, it } from 'vitest';
import { apiError } from '../../platform/api_error.ts';
import { makeTurns } from './turns.ts';

const OWNERS: Record<string, string> = {
  fk_ann: 'ann',
  fr_ann: 'ann',
  'deployment 1': 'ann',
  'flow 7': 'bob',
};

/** Makes turns of a project in which `ann.x.y` is a verified token, and records look-ups and accepted tokens. */
function make() {
  const looked: string[][] = [];
  const accepted: string[] = [];
  const turnOf = makeTurns(
    {
      userOf: (token) => Promise.resolve(token === 'ann.x.y' ? 'ann' : undefined),
      accept: async (token) => void accepted.push(token),
    },
    async (shown) => {
      looked.push(shown);
      return shown.map((one) => OWNERS[one] ?? null);
    },
  );
  const turn = (headers: Record<string, string>, name = 'start_deployment', args: object = {}) =>
    turnOf({ name, args, headers });
  const callerOf = async (...call: Parameters<typeof turn>) => (await turn(...call)).caller;
  return { looked, accepted, turn, callerOf };
}

it('all tokens and keys of a user share one turn, and all unverified credentials share one turn', async () => {
  const { callerOf } = make();
  expect(await callerOf({ authorization: 'Bearer ann.x.y' })).toBe('user ann');
  expect(await callerOf({ 'x-api-key': 'fk_ann' })).toBe('user ann');
  expect(await callerOf({ authorization: 'Bearer ann.x.y', 'x-flow-run-token': 'fr_bob' })).toBe('user ann');
  const made: Record<string, string>[] = [
    { authorization: 'Bearer a.b.c' },
    { authorization: 'Bearer a.b.d', 'x-flow-run-token': 'fr_ann' },
    { 'x-api-key': 'fk_1' },
    { 'x-flow-run-token': 'fr_1' },
  ];
  expect(new Set(await Promise.all(made.map((headers) => callerOf(headers))))).toEqual(new Set(['unverified']));
});

it('guests take turns by the owner of what they start, read or watch', async () => {
  const { callerOf } = make();
  expect(await callerOf({ 'x-flow-run-token': 'fr_ann' }, 'flow_run_result')).toBe('guests of ann');
  expect(await callerOf({}, 'start_deployment', { id: '1' })).toBe('guests of ann');
  expect(await callerOf({}, 'read_deployment', { flow: 7, tag: 'latest' })).toBe('guests of bob');
  expect(await callerOf({}, 'start_deployment', { id: '2' })).toBe('guests of nobody');
  expect(await callerOf({}, 'start_deployment', {})).toBe('guests of nobody');
  // In a call of this function, `id` is not the id of a deployment.
  expect(await callerOf({}, 'signature_request_for_caller', { id: '1' })).toBe('guests of nobody');
});

it('looks up credentials with an owner once and together, and credentials without an owner again', async () => {
  const { callerOf, looked } = make();
  await Promise.all(['fk_ann', 'fk_1', 'fk_2', 'fk_ann'].map((key) => callerOf({ 'x-api-key': key })));
  expect(looked).toEqual([['fk_ann', 'fk_1', 'fk_2']]);
  await callerOf({ 'x-api-key': 'fk_ann' });
  await callerOf({ 'x-api-key': 'fk_1' });
  expect(looked.slice(1)).toEqual([['fk_1']]);
});

it('accepts a token that the database accepted, and forgets a key that it refused', async () => {
  const { turn, accepted, looked } = make();
  await (await turn({ authorization: 'Bearer ann.x.y' })).succeed();
  const unverified = await turn({ authorization: 'Bearer a.b.c' });
  unverified.fail(apiError('flow_not_found', 'No.'));
  expect(accepted).toEqual([]);
  await unverified.succeed();
  expect(accepted).toEqual(['a.b.c']);
  (await turn({ 'x-api-key': 'fk_ann' })).fail(apiError('flow_not_found', 'No.'));
  (await turn({ 'x-api-key': 'fk_ann' })).fail(apiError('api_key_invalid', 'No.'));
  await turn({ 'x-api-key': 'fk_ann' });
  expect(looked).toEqual([['fk_ann'], ['fk_ann']]);
});
