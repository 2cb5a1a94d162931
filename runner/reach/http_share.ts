import type { ByteBudget, Holder } from './byte_budget.ts';
import { unlessAborted } from './connection.ts';

/** Limits the HTTP requests that one run makes at the same time. Further requests wait. */
export interface HttpShare {
  /**
   * Resolves when one more request may be made. Throws the signal's reason if the signal is aborted. The caller must
   * release the holder when the request is over.
   */
  begin: (signal: AbortSignal) => Promise<Holder>;
}

/** The least number of bytes that a request asks for at a time. */
const SMALLEST_STEP = 65_536;

/**
 * Combines a request's holders of several budgets into one. The combined holder asks for up to twice the needed bytes,
 * so that it asks rarely even if the pieces are small. It asks one budget after another. While a request waits for
 * bytes of its own run or owner, it therefore takes no bytes of the budgets that others share. All requests enter the
 * budgets in the same order. The oldest request in the last budget is therefore the oldest in each budget, and never
 * waits.
 */
function combineHolders(holders: Holder[]): Holder {
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

/** Makes each holder hold the bytes, one holder after another. Returns undefined if no holder had to wait. */
function holdOneByOne(holders: Holder[], bytes: number, signal: AbortSignal): Promise<void> | undefined {
  for (const [index, holder] of holders.entries()) {
    const wait = holder.hold(bytes, signal);
    if (wait !== undefined) return wait.then(() => holdOneByOne(holders.slice(index + 1), bytes, signal));
  }
  return undefined;
}

/**
 * Makes the share of one run. The run makes at most `maxRequests` requests at a time. Together they hold no more bytes
 * than each budget allows.
 */
export function makeHttpShare(maxRequests: number, budgets: ByteBudget[]): HttpShare {
  let running = 0;
  const waiting = new Set<() => void>();

  const leave = () => {
    const [next] = waiting;
    if (next === undefined) running--;
    else next();
  };

  /**
   * Waits until one more request may run. If the request is aborted meanwhile, the next waiting request may run
   * instead.
   */
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
      const holder = combineHolders(budgets.map((budget) => budget.enter()));
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
