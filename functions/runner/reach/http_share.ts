import type { ByteBudget, Holder } from './byte_budget.ts';
import { unlessAborted } from './connection.ts';

/** What the HTTP requests of one run may use up at a time; others wait. */
export interface HttpShare {
  /** Resolves when one more request may be made. Throws the signal's reason. The holder is to be released when it is over. */
  begin: (signal: AbortSignal) => Promise<Holder>;
}

/** The smallest step in which a request asks for more bytes. */
const SMALLEST_STEP = 65_536;

/** Asks each of the budgets in turn, for twice as much each time: few questions, whatever the size of the pieces. */
function holdOfAll(holders: Holder[]): Holder {
  let granted = 0;
  return {
    hold: (bytes, signal) => {
      if (bytes <= granted) return undefined;
      const wanted = Math.max(bytes, Math.min(2 * bytes, bytes + 1_048_576), SMALLEST_STEP);
      const waits = holders.map((holder) => holder.hold(wanted, signal)).filter((wait) => wait !== undefined);
      if (waits.length === 0) {
        granted = wanted;
        return undefined;
      }
      return Promise.all(waits).then(() => {
        granted = wanted;
      });
    },
    release: () => holders.forEach((holder) => holder.release()),
  };
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
