import { nextTurn } from '../../../platform/pause.ts';

interface GroupSenderOptions<Item> {
  maxItems: number;
  /** The greatest sum of the sizes of a group's items. A larger item is sent alone. */
  maxSize: number;
  sizeOf: (item: Item) => number;
  /**
   * Sends a group, and resolves with a promise for the outcome of each item, in the order of the items. The next group
   * is sent without waiting for these promises. If the call itself rejects, the items that wait for their own call
   * fail, too, because that call would probably fail.
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
 * Makes a function that sends items in groups, one group at a time. An item is sent at once if no group is being sent.
 * Otherwise it waits, and is sent together with all items that have come by then. So a single item is not delayed, and
 * many items cost little more than one.
 */
export function makeGroupSender<Item>(options: GroupSenderOptions<Item>): (item: Item) => Promise<void> {
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
    // This wait lets the first group have all items that are added in this turn of the event loop.
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
