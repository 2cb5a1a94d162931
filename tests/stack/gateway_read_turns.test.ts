import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { makePublicTurns } from '../../dev/stack/gateway/rest_turns.ts';
import { makeReadTurns } from '../../dev/stack/gateway/read_turns.ts';

const MIB = 1_048_576;
const user = (key: string) => ({ kind: 'user', key } as const);

/** Reads that last until the test ends them, over turns with a clock that the test sets. */
function makeReads() {
  const underWay: { key: string; end: (bytes: number) => void }[] = [];
  const clock = { ms: 0 };
  const turns = makeReadTurns({ now: () => clock.ms });
  const send = (key: string, kind: 'read' | 'call') =>
    turns.take(user(key), kind, () => new Promise<number>((end) => void underWay.push({ key, end })));
  const read = (key: string) => send(key, 'read');
  const call = (key: string) => send(key, 'call');
  const keys = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return underWay.map(({ key }) => key).join('');
  };
  const endFirst = async (bytes = 0) => {
    underWay.shift()!.end(bytes);
    return await keys();
  };
  // A read that still waited would be refused after the test.
  onTestFinished(async () => {
    while (underWay.length > 0) await endFirst();
  });
  return { read, call, keys, endFirst, clock };
}

it('a caller may read six things at a time, and three while others read; places go to callers in turn', async () => {
  const { read, keys, endFirst } = makeReads();
  for (let count = 0; count < 9; count++) void read('a');
  expect(await keys()).toBe('aaaaaa');
  void read('b');
  void read('b');
  void read('b');
  expect(await keys()).toBe('aaaaaabb');
  expect(await endFirst()).toBe('aaaaabbb');
});

it('callers who have read much share two places for a while, and do not delay others', async () => {
  const { read, call, keys, endFirst, clock } = makeReads();
  for (const key of ['a', 'b', 'c']) {
    const done = read(key);
    await keys();
    await endFirst(5 * MIB);
    await done;
  }
  void read('a');
  void call('a');
  for (const key of ['b', 'b', 'c']) void read(key);
  expect(await keys()).toBe('ab');
  void read('d');
  void call('d');
  expect(await keys()).toBe('abdd');
  expect(await endFirst()).toBe('bdda');
  clock.ms = 20_000;
  void read('b');
  expect(await keys()).toBe('bddab');
});

it('nodes of runs, which send a claim token, do not wait for strangers from the same address', async () => {
  const stranger = { kind: 'stranger', key: 'address' } as const;
  const inTurn = makePublicTurns({ known: () => stranger, verified: async () => stranger })!;
  let begun = 0;
  const underWay: ((bytes: number) => void)[] = [];
  const read = (headers: object) =>
    void inTurn({ url: '/nodes?select=id', method: 'GET', headers } as IncomingMessage, 0, () => {
      begun++;
      return new Promise((end) => underWay.push(end));
    });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  // A read that still waited would be refused after the test.
  onTestFinished(async () => {
    for (let end = underWay.pop(); end !== undefined; end = underWay.pop()) {
      end(0);
      await settled();
    }
  });
  for (let count = 0; count < 9; count++) read({});
  await settled();
  expect(begun).toBe(6);
  read({ 'x-flow-claim-token': 'a' });
  read({ 'x-flow-claim-token': 'b' });
  await settled();
  expect(begun).toBe(8);
});
