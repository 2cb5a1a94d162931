import { type Admission, makeAdmission } from '../../../functions/_shared/admission.ts';
import { retryLater } from './answer.ts';
import { MAX_BODY_BYTES } from './body_limit.ts';
import type { Caller } from './caller.ts';
import { MAX_BYTES_IN_MEMORY } from './receive_body.ts';

/**
 * Limits the bodies that PostgREST processes at a time, because PostgREST takes 50 to 90 bytes of memory for each byte
 * of JSON. Waiting callers take turns.
 */
export interface BodyTurns {
  /**
   * Does the work when it is the body's turn. Throws a Refusal if too many bodies wait, or if this body waits too long.
   */
  take: <Result>(caller: Caller, bytes: number, work: () => Promise<Result>) => Promise<Result>;
}

interface Lane {
  /** The largest body in this lane, in bytes. */
  maxBytes: number;
  /**
   * The most bodies that PostgREST processes at a time: `slots` of all callers together. While several callers send
   * bodies, at most `sharedSlots` of each.
   */
  slots: number;
  sharedSlots: number;
  /** The most waiting bodies of one caller, and of all callers together. */
  maxWaiting: number;
  maxAllWaiting: number;
}

/**
 * The lanes, by the size of their bodies. Small bodies never wait for large bodies, because they have their own lane.
 */
const LANES: Lane[] = [
  { maxBytes: MAX_BYTES_IN_MEMORY, slots: 32, sharedSlots: 16, maxWaiting: 500, maxAllWaiting: 1_000 },
  { maxBytes: MAX_BODY_BYTES, slots: 2, sharedSlots: 1, maxWaiting: 16, maxAllWaiting: 64 },
  { maxBytes: Infinity, slots: 1, sharedSlots: 1, maxWaiting: 4, maxAllWaiting: 16 },
];

const RECENT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

const tooMany = () =>
  retryLater(429, 'too_many_requests', 'Too many bodies of this size are waiting already.', RETRY_SECONDS);
const waitedTooLong = () =>
  retryLater(503, 'service_unavailable', `The body waited ${MAX_WAIT_MS / 1000} s for its turn.`, RETRY_SECONDS);

/**
 * Makes the turns of one PostgREST. Callers with the secret key have lanes of their own, so that the results of runs
 * never wait for the bodies of users and strangers.
 */
export function makeBodyTurns({ maxWaitMs = MAX_WAIT_MS, lanes = LANES } = {}): BodyTurns {
  const makeAdmissions = (): { lane: Lane; admission: Admission }[] =>
    lanes.map((lane) => ({
      lane,
      admission: makeAdmission({ ...lane, aloneSlots: lane.slots, recentMs: RECENT_MS, now: () => performance.now() }),
    }));
  const [ofService, ofOthers] = [makeAdmissions(), makeAdmissions()];
  return {
    async take(caller, bytes, work) {
      const admissions = caller.kind === 'service' ? ofService : ofOthers;
      const { admission } = admissions.find(({ lane }) => bytes <= lane.maxBytes)!;
      let state = 'waiting' as 'waiting' | 'begun' | 'given up';
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          if (state !== 'waiting') return;
          state = 'given up';
          reject(waitedTooLong());
        }, maxWaitMs);
      });
      const worked = admission.admit(caller.key, async () => {
        if (state === 'given up') throw waitedTooLong();
        state = 'begun';
        clearTimeout(timer);
        return await work();
      });
      try {
        return await Promise.race([worked, tooLong]);
      } catch (error) {
        // Replaces the error of the admission by the gateway's refusal.
        throw state === 'waiting' ? tooMany() : error;
      } finally {
        clearTimeout(timer);
        worked.catch(() => {});
      }
    },
  };
}
