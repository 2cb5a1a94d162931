import { expect, it } from 'vitest';
import { makeTokenOwners } from './token_owners.ts';

interface Call {
  tokens: string[];
  answer: (owners: (string | null)[]) => void;
  fail: (error: Error) => void;
}

const make = (options = { callTokens: 3, maxWaiting: 5 }) => {
  const calls: Call[] = [];
  const ownerOf = makeTokenOwners(
    (tokens) => new Promise((answer, fail) => calls.push({ tokens, answer, fail })),
    options,
  );
  return { calls, ownerOf };
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('merges tokens that come during a call into the next call, each once and in order', async () => {
  const { calls, ownerOf } = make();
  const first = ownerOf('a');
  await settle();
  const others = ['b', 'c', 'b', 'd', 'e'].map(ownerOf);
  await settle();
  expect(calls.map(({ tokens }) => tokens)).toEqual([['a']]);
  calls[0]!.answer([null]);
  await settle();
  expect(calls[1]!.tokens).toEqual(['b', 'c', 'd']);
  calls[1]!.answer(['bob', null, 'dan']);
  await settle();
  calls[2]!.answer(['eve']);
  expect(await Promise.all([first, ...others])).toEqual([undefined, 'bob', undefined, 'bob', 'dan', 'eve']);
  void ownerOf('a');
  await settle();
  expect(calls[3]!.tokens).toEqual(['a']);
});

it('rejects the tokens of a failed call and continues with the others', async () => {
  const { calls, ownerOf } = make();
  const first = ownerOf('a');
  await settle();
  const second = ownerOf('b');
  calls[0]!.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settle();
  calls[1]!.answer(['bob']);
  expect(await second).toBe('bob');
});

it('refuses tokens when too many wait', async () => {
  const { calls, ownerOf } = make();
  void ownerOf('a');
  await settle();
  for (const token of 'bcdef') void ownerOf(token);
  await expect(ownerOf('g')).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(calls).toHaveLength(1);
});
