import { nextTurn } from '../../_shared/pause.ts';

export interface GroupOptions<Item> {
  maxItems: number;
  /** The greatest sum of the sizes of a group's items; a larger item goes alone. */
  maxSize: number;
  sizeOf: (item: Item) => number;
  /**
   * Gives the outcome of each item, in their order; the next group does not wait for those. Where it rejects, those who wait fail
   * with the group: they would only find out one after another.
   */
  send: (items: Item[]) => Promise<Promise<void>[]>;
}

interface Waiting<Item> {
  item: Item;
  size: number;
  resolve: (outcome: Promise<void>) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends items in groups, one group at a time: at once where nothing is under way, else with all that come until that is over.
 * As databases write several commits at once, it costs who is alone no time, and many together little more than one.
 */
export function makeGrouped<Item>(options: GroupOptions<Item>): (item: Item) => Promise<void> {
  const waiting: Waiting<Item>[] = [];
  let isSending = false;

  const takeGroup = (): Waiting<Item>[] => {
    let size = 0;
    const end = waiting.findIndex((next, index) => {
      size += next.size;
      return index === options.maxItems || size > options.maxSize;
    });
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(end, 1));
  };

  const sendAll = async (): Promise<void> => {
    isSending = true;
    // Those that end in one turn come one after another.
    await nextTurn();
    while (waiting.length > 0) {
      const group = takeGroup();
      try {
        const outcomes = await options.send(group.map(({ item }) => item));
        group.forEach(({ resolve }, index) => resolve(outcomes[index]!));
      } catch (error) {
        for (const { reject } of [...group, ...waiting.splice(0)]) reject(error);
      }
    }
    isSending = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, size: options.sizeOf(item), resolve, reject });
      if (!isSending) void sendAll();
    });
}
