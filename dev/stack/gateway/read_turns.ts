import type { Caller } from './caller.ts';
import { type Lane, makeTurns, MAX_WAIT_MS, type TakeTurn } from './turns.ts';

/**
 * Shares PostgREST's database connections among its callers. Reads of tables take turns. So do all requests of a caller
 * whose last answers were large, because a large answer takes much time of PostgREST and Postgres.
 */
interface ReadTurns {
  /**
   * Does the work when it is the caller's turn, or throws a Refusal. A call is a request that is no read of a table. The
   * work resolves with the bytes of the answer.
   */
  take: (caller: Caller, kind: 'read' | 'call', work: () => Promise<number>) => Promise<number>;
}

/** PostgREST has ten connections. Two of them stay free for requests that are not reads. */
const LIGHT: Lane = { slots: 8, aloneSlots: 6, sharedSlots: 3, maxWaiting: 500, maxAllWaiting: 1_000 };
const HEAVY: Lane = { slots: 2, aloneSlots: 1, sharedSlots: 1, maxWaiting: 500, maxAllWaiting: 1_000 };

/** A caller counts as heavy if its answers within about this time had more than this many bytes. */
const WINDOW_MS = 5_000;
const HEAVY_BYTES = 4 * 1_048_576;

const takeAtOnce: TakeTurn = (_, work) => work();

export function makeReadTurns({ maxWaitMs = MAX_WAIT_MS, now = () => performance.now() } = {}): ReadTurns {
  const takeLight = makeTurns(LIGHT, 'reads', maxWaitMs);
  const takeHeavy = makeTurns(HEAVY, 'requests after large answers', maxWaitMs);
  /** The bytes that callers have read in this window and in the last one. */
  let [recent, earlier] = [new Map<string, number>(), new Map<string, number>()];
  let windowEnd = now() + WINDOW_MS;

  const turnWindow = (): void => {
    if (now() < windowEnd) return;
    earlier = now() < windowEnd + WINDOW_MS ? recent : new Map();
    recent = new Map();
    windowEnd = now() + WINDOW_MS;
  };
  const isHeavy = ({ key }: Caller): boolean => {
    turnWindow();
    return (recent.get(key) ?? 0) + (earlier.get(key) ?? 0) > HEAVY_BYTES;
  };

  return {
    async take(caller, kind, work) {
      const take = isHeavy(caller) ? takeHeavy : kind === 'read' ? takeLight : takeAtOnce;
      const bytes = await take(caller, work);
      turnWindow();
      recent.set(caller.key, (recent.get(caller.key) ?? 0) + bytes);
      return bytes;
    },
  };
}
