import { apiError } from './api_error.ts';

/** Shares out among callers how many calls an isolate has under way in the database. */
export interface Admission {
  /**
   * Does the work in a place of this caller, waiting for it if need be. Throws too_many_requests when too many calls
   * wait already: of this caller, or of all while no other caller has more calls that wait.
   */
  admit: <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface AdmissionOptions {
  /** Calls of all callers under way at once. */
  places: number;
  /** Calls of a caller under way at once while nobody else calls. */
  alonePlaces: number;
  /** The same while others call, too. */
  sharedPlaces: number;
  /** How long after a call its caller still counts as active. */
  recentMs: number;
  /** Calls of one caller that may wait, and of all together. */
  maxWaiting: number;
  maxAllWaiting: number;
  /** Milliseconds on a clock that never goes back. */
  now: () => number;
}

/**
 * One caller alone has as many calls under way as make full use of a small database, and less than all places, so that
 * the next caller finds one. With several active callers each gets few places, so that none slows the others down.
 */
export const ADMISSION_OPTIONS: AdmissionOptions = Object.freeze({
  places: 24,
  alonePlaces: 16,
  sharedPlaces: 2,
  recentMs: 1_000,
  maxWaiting: 500,
  maxAllWaiting: 1_000,
  now: () => performance.now(),
});

/** A call that waits for its turn. */
interface WaitingCall {
  begin: () => void;
  refuse: (error: Error) => void;
}

const tooMany = (): Error =>
  apiError('too_many_requests', 'Too many requests are waiting already.', {
    hint: 'Try again after the seconds in Retry-After, with fewer requests at a time.',
    headers: { 'retry-after': '1' },
  });

/** Makes what admits calls: callers who wait take turns, each with one call. */
export function makeAdmission(options: AdmissionOptions = ADMISSION_OPTIONS): Admission {
  const { places, alonePlaces, sharedPlaces, recentMs, maxWaiting, maxAllWaiting, now } = options;
  /** When each caller has called last; the earliest first. */
  const recent = new Map<string, number>();
  /** How many places each caller has, of those who have one. */
  const held = new Map<string, number>();
  /** The waiting calls by caller; whose turn is next first. */
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
    allHeld < places && (held.get(caller) ?? 0) < (recent.size > 1 ? sharedPlaces : alonePlaces);
  const take = (caller: string): void => {
    allHeld++;
    held.set(caller, (held.get(caller) ?? 0) + 1);
  };

  /** Lets one call of the first caller begin who may have another place; false if there is none. */
  const admitNext = (): boolean => {
    if (allHeld >= places) return false;
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
  /** Refuses the last call of the caller with the most calls that wait, if those are more than this many. */
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
