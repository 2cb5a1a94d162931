import { expect, it } from 'vitest';
import { nextTurn } from '../../_shared/pause.ts';
import { makeGroupSender } from './group_sender.ts';

interface Sent {
  items: string[];
  /** Ends the sending; the items that are named fail by themselves. */
  end: (failing?: string[]) => void;
  fail: () => void;
}

/** Groups by up to three items, or ten characters, and what was sent. */
function makeSender() {
  const sent: Sent[] = [];
  const send = (items: string[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      sent.push({ items, end: (failing = []) => resolve(failing), fail: () => reject(new Error('all failed')) });
    });
  const outcomeOf = (item: string, failing: string[]): Promise<void> =>
    failing.includes(item) ? Promise.reject(new Error(`${item} failed`)) : Promise.resolve();
  const add = makeGroupSender<string>({
    maxItems: 3,
    maxSize: 10,
    sizeOf: (item) => item.length,
    send: async (items) => {
      const failing = await send(items);
      return items.map((item) => outcomeOf(item, failing));
    },
  });
  /** What was sent so far, once the work of this turn and the next is done. */
  const groups = async (): Promise<string[][]> => {
    await nextTurn();
    await nextTurn();
    return sent.map(({ items }) => items);
  };
  return { add, groups, sent };
}

it('who is alone goes at once, and those who come meanwhile go together', async () => {
  const { add, groups, sent } = makeSender();
  const outcomes = [add('a')];
  expect(await groups()).toEqual([['a']]);
  outcomes.push(add('b'), add('c'));
  sent[0]!.end();
  await outcomes[0];
  expect(await groups()).toEqual([['a'], ['b', 'c']]);
  outcomes.push(add('d'));
  expect(await groups()).toHaveLength(2);
  sent[1]!.end();
  expect(await groups()).toEqual([['a'], ['b', 'c'], ['d']]);
  sent[2]!.end();
  await Promise.all(outcomes);
});

it('a group has so many items at the most, and so large ones', async () => {
  const { add, groups, sent } = makeSender();
  for (const item of ['a', 'b', 'c', 'four', 'five', 'six', 'larger than all', 'x']) void add(item);
  const seen = [['a', 'b', 'c'], ['four', 'five'], ['six'], ['larger than all'], ['x']];
  for (const [index] of seen.entries()) {
    expect(await groups()).toEqual(seen.slice(0, index + 1));
    sent[index]!.end();
  }
});

it('each has its own outcome; with a group that fails as a whole fail those who wait', async () => {
  const { add, groups, sent } = makeSender();
  const outcomes = Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f', 'waits'].map(add));
  await groups();
  sent[0]!.end(['b']);
  await groups();
  sent[1]!.fail();
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' ? outcome.reason.message : null);
  expect(reasons).toEqual([null, 'b failed', null, 'all failed', 'all failed', 'all failed', 'all failed']);
});
