/** The longest time that a timer accepts. A timer with a longer time fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after the time (at most MAX_TIMER_MS), or as soon as one of the signals is aborted. Leaves no timer behind.
 */
export const pause = (durationMs: number, ...signals: AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(durationMs, MAX_TIMER_MS));
    for (const signal of signals) signal.addEventListener('abort', end);
    if (signals.some((signal) => signal.aborted)) end();
  });

/**
 * Node's function to wait for the next turn of the event loop. It is not used in Deno: some versions of Deno lack it,
 * and in others it is not faster than the message by which `nextTurn` waits.
 */
const setImmediate: ((callback: () => void) => unknown) | undefined = 'Deno' in globalThis
  ? undefined
  : (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate;

/**
 * Resolves in the next turn of the event loop, after everything that has already arrived was handled. A timer of 0 ms
 * would take more than a millisecond.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (setImmediate !== undefined) {
      setImmediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    }, { once: true });
    port1.start();
    port2.postMessage(null);
  });
