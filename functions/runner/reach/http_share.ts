import type { ByteBudget, Holder } from './byte_budget.ts';
import { unlessAborted } from './connection.ts';

/** What the HTTP requests of one run may use up at a time; others wait. */
export interface HttpShare {
  /** Resolves when one more request may be made. Throws the signal's reason. The holder is to be released when it is over. */
  begin: (signal: AbortSignal) => Promise<Holder>;
}

/** The smallest step in which a request asks for more bytes. */
const SMALLEST_STEP = 65_536;

/**
 * Asks for twice as much each time: few questions, whatever the size of the pieces. One budget is asked after the other: whoever waits
 * for its own run or owner holds nothing yet of what others share with it. They entered all in one order, so the oldest of the last
 * budget is the oldest of each, and waits for nobody.
 */
function holdOfAll(holders: Holder[]): Holder {
  let granted = 0;
  return {
    hold: (bytes, signal) => {
      if (bytes <= granted) return undefined;
      const wanted = Math.max(bytes, Math.min(2 * bytes, bytes + 1_048_576), SMALLEST_STEP);
      const wait = holdOneByOne(holders, wanted, signal);
      if (wait === undefined) granted = wanted;
      return wait?.then(() => {
        granted = wanted;
      });
    },
    release: () => holders.forEach((holder) => holder.release()),
  };
}

/** Undefined where nobody has to be waited for. */
function holdOneByOne(holders: Holder[], bytes: number, signal: AbortSignal): Promise<void> | undefined {
  for (const [index, holder] of holders.entries()) {
    const wait = holder.hold(bytes, signal);
    if (wait !== undefined) return wait.then(() => holdOneByOne(holders.slice(index + 1), bytes, signal));
  }
  return undefined;
}

/** Makes the share of one run: so many requests at a time, and of each budget what is left. */
export function makeHttpShare(maxRequests: number, budgets: ByteBudget[]): HttpShare {
  let running = 0;
  const waiting = new Set<() => void>();

  const leave = () => {
    const [next] = waiting;
    if (next === undefined) running--;
    else next();
  };

  /** Waits for a place; one that is given to whoever does not want it any more goes on to the next. */
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < maxRequests) {
      running++;
      return;
    }
    let take = () => {};
    const taken = new Promise<void>((resolve) => {
      take = () => {
        waiting.delete(take);
        resolve();
      };
    });
    waiting.add(take);
    try {
      await unlessAborted(taken, signal);
    } catch (error) {
      if (!waiting.delete(take)) leave();
      throw error;
    }
  };

  return {
    begin: async (signal) => {
      await enter(signal);
      const holder = holdOfAll(budgets.map((budget) => budget.enter()));
      return {
        hold: holder.hold,
        release: () => {
          holder.release();
          leave();
        },
      };
    },
  };
}
