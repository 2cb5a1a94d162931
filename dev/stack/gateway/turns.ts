import { makeAdmission } from '../../../platform/admission.ts';
import { retryLater } from './answer.ts';
import type { Caller } from './caller.ts';

/** The places of one kind of requests in a part. */
export interface Lane {
  /**
   * The most requests that the part processes at a time: `slots` of all callers together, `aloneSlots` of a caller
   * while no other caller sends such requests, otherwise `sharedSlots` of each.
   */
  slots: number;
  aloneSlots: number;
  sharedSlots: number;
  /** The most waiting requests of one caller, and of all callers together. */
  maxWaiting: number;
  maxAllWaiting: number;
}

/**
 * Does the work when it is the caller's turn. Throws a Refusal if too many requests wait, or if this request waits too
 * long.
 */
export type TakeTurn = <Result>(caller: Caller, work: () => Promise<Result>) => Promise<Result>;

const RECENT_MS = 1_000;
const RETRY_SECONDS = 5;
export const MAX_WAIT_MS = 30_000;

/** Makes the turns of a lane. `what` names the requests in refusals. */
export function makeTurns(lane: Lane, what: string, maxWaitMs: number): TakeTurn {
  const admission = makeAdmission({ ...lane, recentMs: RECENT_MS, now: () => performance.now() });
  const tooMany = () => retryLater(429, 'too_many_requests', `Too many ${what} are waiting already.`, RETRY_SECONDS);
  const waitedTooLong = () =>
    retryLater(
      503,
      'service_unavailable',
      `One of the ${what} waited ${maxWaitMs / 1000} s for its turn.`,
      RETRY_SECONDS,
    );
  return async (caller, work) => {
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
  };
}
