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
 * Resolves in the next turn of the event loop, after the messages that have arrived were handled. A timer of 0 ms would
 * take more than a millisecond. In Deno, the network may get no turn meanwhile: long computations wait for
 * `networkTurn`.
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

/** The time of a pause in Deno. Only a timer makes Deno look at the network. */
const NETWORK_MS = 2;

/**
 * Resolves after the network and the timers had a turn. In Deno it takes 2 ms, so a computation calls it only after it
 * has lasted for some milliseconds.
 */
export const networkTurn = (): Promise<void> => setImmediate === undefined ? pause(NETWORK_MS) : nextTurn();
