import { expect, it } from 'vitest';
import { nextTurn } from '../../../platform/pause.ts';
import { makeGroupSender } from './group_sender.ts';

interface Sent {
  items: string[];
  /** Ends the sending. Only the items in `failing` fail. */
  end: (failing?: string[]) => void;
  fail: () => void;
}

/** Makes a sender with groups of up to three items or ten characters, and records the groups. */
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
  /** Waits for this turn of the event loop and the next one, and returns the groups sent so far. */
  const groups = async (): Promise<string[][]> => {
    await nextTurn();
    await nextTurn();
    return sent.map(({ items }) => items);
  };
  return { add, groups, sent };
}

it('a lone item is sent at once, and items that come meanwhile are sent together', async () => {
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

it('a group has limits of its number of items and of their sizes', async () => {
  const { add, groups, sent } = makeSender();
  for (const item of ['a', 'b', 'c', 'four', 'five', 'six', 'larger than all', 'x']) void add(item);
  const seen = [['a', 'b', 'c'], ['four', 'five'], ['six'], ['larger than all'], ['x']];
  for (const [index] of seen.entries()) {
    expect(await groups()).toEqual(seen.slice(0, index + 1));
    sent[index]!.end();
  }
});

it('each item has its own outcome; if a whole group fails, the waiting items fail too', async () => {
  const { add, groups, sent } = makeSender();
  const outcomes = Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f', 'waits'].map(add));
  await groups();
  sent[0]!.end(['b']);
  await groups();
  sent[1]!.fail();
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' ? outcome.reason.message : null);
  expect(reasons).toEqual([null, 'b failed', null, 'all failed', 'all failed', 'all failed', 'all failed']);
});
