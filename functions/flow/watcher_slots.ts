import { apiError } from '../../platform/api_error.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** Limits how many event streams an instance keeps open. */
export interface WatcherSlots {
  /** Takes a slot and returns the function that frees it. Throws too_many_requests at one of the limits. */
  take: (watcher: Watcher) => () => void;
}

/** The caller who opens a stream. */
interface Watcher {
  caller: string;
  /** The owner of the run. */
  owner: string;
  /** True if the caller has no account. */
  isGuest: boolean;
}

export interface WatcherSlotsOptions {
  /** The most streams of all watchers together. */
  slots: number;
  /**
   * The most streams of one caller. It is also a limit for the runs of one owner: all callers except the owner may have
   * as many streams together. Every start returns a run token. Without the second limit, the holders of many run tokens
   * could keep the owner from watching.
   */
  partySlots: number;
  /** The most streams of all guests together. The remaining slots are kept for users with accounts. */
  guestSlots: number;
  /** The most streams of guests on the runs of one owner. */
  ownersGuestSlots: number;
}

const WATCHER_SLOTS: WatcherSlotsOptions = Object.freeze({
  slots: requestLimits.streams.value,
  partySlots: requestLimits.party_streams.value,
  guestSlots: requestLimits.guest_streams.value,
  ownersGuestSlots: requestLimits.owners_guest_streams.value,
});

const tooMany = (whose: string): Error =>
  apiError('too_many_requests', `Too many event streams are open already: the limit ${whose} is reached.`, {
    hint: 'Close streams that nobody reads, or try again after as many seconds as Retry-After says.',
    headers: { 'retry-after': '5' },
  });

export function makeWatcherSlots(options: WatcherSlotsOptions = WATCHER_SLOTS): WatcherSlots {
  const { slots, partySlots, guestSlots, ownersGuestSlots } = options;
  const taken = new Map<string, number>();
  let allTaken = 0;

  return {
    take: ({ caller, owner, isGuest }) => {
      const limits: (readonly [party: string, slots: number, whose: string])[] = [
        [caller, partySlots, 'of one caller'],
        ...caller === owner
          ? []
          : [[`others of ${owner}`, partySlots, 'of callers other than the owner of these runs'] as const],
        ...isGuest
          ? [
            [`guests of ${owner}`, ownersGuestSlots, 'of guests on the runs of this owner'] as const,
            ['guests', guestSlots, 'of guests'] as const,
          ]
          : [],
      ];
      for (const [party, most, whose] of limits) {
        if ((taken.get(party) ?? 0) >= most) throw tooMany(whose);
      }
      const counted = limits.map(([party]) => party);
      if (allTaken >= slots) throw tooMany('of all callers');
      allTaken++;
      for (const party of counted) taken.set(party, (taken.get(party) ?? 0) + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        allTaken--;
        for (const party of counted) {
          const left = taken.get(party)! - 1;
          if (left > 0) taken.set(party, left);
          else taken.delete(party);
        }
      };
    },
  };
}
