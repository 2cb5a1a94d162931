import { apiError } from './api_error.ts';
import { requestLimits } from '../types/limits/requests.ts';

/** Shares the concurrent database calls of an isolate among its callers. */
export interface Admission {
  /**
   * Waits until the caller may take another slot, and does the work in that slot. Throws too_many_requests if the
   * caller has too many waiting calls. If all callers together have too many waiting calls, refuses a call of the
   * caller with the most waiting calls, with the same error.
   */
  admit: <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface AdmissionOptions {
  /** The most concurrent calls of all callers together. */
  slots: number;
  /** The most concurrent calls of one caller while no other caller is active. */
  aloneSlots: number;
  /** The most concurrent calls of one caller while other callers are active. */
  sharedSlots: number;
  /** The time for which a caller counts as active after a call. */
  recentMs: number;
  /** The most waiting calls of one caller. */
  maxWaiting: number;
  /** The most waiting calls of all callers together. */
  maxAllWaiting: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/**
 * A single active caller gets enough slots to use a small database fully. Some slots stay free for the next caller.
 * With several active callers, each gets few slots, so that they do not slow each other down.
 */
export const ADMISSION_OPTIONS: AdmissionOptions = Object.freeze({
  slots: 24,
  aloneSlots: requestLimits.calls_alone.value,
  sharedSlots: requestLimits.calls_shared.value,
  recentMs: 1_000,
  maxWaiting: requestLimits.waiting_calls.value,
  maxAllWaiting: requestLimits.all_waiting_calls.value,
  now: () => performance.now(),
});

/** A call that waits for its turn. */
interface WaitingCall {
  begin: () => void;
  refuse: (error: Error) => void;
}

const tooMany = (): Error =>
  apiError('too_many_requests', 'Too many requests are waiting already.', {
    hint: 'Wait for as many seconds as Retry-After says. Then send fewer requests at a time.',
    headers: { 'retry-after': '1' },
  });

/** Makes an admission in which waiting callers take turns. In each turn, one call begins. */
export function makeAdmission(options: AdmissionOptions = ADMISSION_OPTIONS): Admission {
  const { slots, aloneSlots, sharedSlots, recentMs, maxWaiting, maxAllWaiting, now } = options;
  /** The time of the last call of each active caller. The earliest time comes first. */
  const recent = new Map<string, number>();
  /** The number of slots that each caller holds; callers without a slot are missing. */
  const held = new Map<string, number>();
  /** The waiting calls by caller. The caller with the next turn comes first. */
  const waiting = new Map<string, WaitingCall[]>();
  let allHeld = 0;
  let allWaiting = 0;

  const note = (caller: string): void => {
    const time = now();
    recent.delete(caller);
    recent.set(caller, time);
    for (const [other, calledAt] of recent) {
      if (time - calledAt < recentMs) break;
      recent.delete(other);
    }
  };
  const mayTake = (caller: string): boolean =>
    allHeld < slots && (held.get(caller) ?? 0) < (recent.size > 1 ? sharedSlots : aloneSlots);
  const take = (caller: string): void => {
    allHeld++;
    held.set(caller, (held.get(caller) ?? 0) + 1);
  };

  /**
   * Begins one call of the first waiting caller who may take another slot. Returns false if there is no such caller.
   */
  const admitNext = (): boolean => {
    if (allHeld >= slots) return false;
    for (const [caller, calls] of waiting) {
      if (!mayTake(caller)) continue;
      const next = calls.shift();
      waiting.delete(caller);
      if (calls.length > 0) waiting.set(caller, calls);
      allWaiting--;
      take(caller);
      next?.begin();
      return true;
    }
    return false;
  };
  const leave = (caller: string): void => {
    allHeld--;
    const left = (held.get(caller) ?? 0) - 1;
    if (left > 0) held.set(caller, left);
    else held.delete(caller);
    note(caller);
    while (admitNext());
  };
  /**
   * Finds the caller with the most waiting calls. If that caller has more than `than` waiting calls, refuses the last
   * of them and returns true. Otherwise returns false.
   */
  const makeRoom = (than: number): boolean => {
    const longest = [...waiting.values()].reduce((most, calls) => calls.length > most.length ? calls : most, []);
    if (longest.length <= than) return false;
    allWaiting--;
    longest.pop()!.refuse(tooMany());
    return true;
  };
  const wait = (caller: string): Promise<void> => {
    const calls = waiting.get(caller) ?? [];
    if (calls.length >= maxWaiting || (allWaiting >= maxAllWaiting && !makeRoom(calls.length + 1))) throw tooMany();
    waiting.set(caller, calls);
    allWaiting++;
    return new Promise((begin, refuse) => calls.push({ begin, refuse }));
  };

  return {
    admit: async (caller, work) => {
      note(caller);
      if (mayTake(caller) && !waiting.has(caller)) take(caller);
      else await wait(caller);
      try {
        return await work();
      } finally {
        leave(caller);
      }
    },
  };
}
