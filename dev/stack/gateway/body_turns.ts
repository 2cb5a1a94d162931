import { MAX_BODY_BYTES } from './body_limit.ts';
import type { Caller } from './caller.ts';
import { MAX_BYTES_IN_MEMORY } from './receive_body.ts';
import { type Lane, makeTurns, MAX_WAIT_MS, type TakeTurn } from './turns.ts';

/**
 * Limits the bodies that PostgREST processes at a time, because PostgREST takes 50 to 90 bytes of memory for each byte
 * of JSON. Waiting callers take turns.
 */
interface BodyTurns {
  /** Does the work when it is the body's turn, or throws a Refusal. */
  take: <Result>(caller: Caller, bytes: number, work: () => Promise<Result>) => Promise<Result>;
}

interface BodyLane extends Lane {
  /** The largest body in this lane, in bytes. */
  maxBytes: number;
}

/**
 * The lanes, by the size of their bodies. Small bodies never wait for large bodies, because they have their own lane.
 */
const LANES: BodyLane[] = [
  { maxBytes: MAX_BYTES_IN_MEMORY, slots: 32, aloneSlots: 32, sharedSlots: 16, maxWaiting: 500, maxAllWaiting: 1_000 },
  { maxBytes: MAX_BODY_BYTES, slots: 2, aloneSlots: 2, sharedSlots: 1, maxWaiting: 16, maxAllWaiting: 64 },
  { maxBytes: Infinity, slots: 1, aloneSlots: 1, sharedSlots: 1, maxWaiting: 4, maxAllWaiting: 16 },
];

/**
 * Makes the turns of one PostgREST. Callers with the secret key have lanes of their own, so that the results of runs
 * never wait for the bodies of users and strangers.
 */
export function makeBodyTurns({ maxWaitMs = MAX_WAIT_MS } = {}): BodyTurns {
  const makeLanes = (): { maxBytes: number; take: TakeTurn }[] =>
    LANES.map((lane) => ({ maxBytes: lane.maxBytes, take: makeTurns(lane, 'bodies of this size', maxWaitMs) }));
  const [ofService, ofOthers] = [makeLanes(), makeLanes()];
  return {
    take: (caller, bytes, work) => {
      const lanes = caller.kind === 'service' ? ofService : ofOthers;
      return lanes.find(({ maxBytes }) => bytes <= maxBytes)!.take(caller, work);
    },
  };
}
