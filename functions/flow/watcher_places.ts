import { apiError } from '../_shared/api_error.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** Limits how many event streams an instance keeps open. */
export interface WatcherPlaces {
  /** Takes a place and returns the function that frees it. Throws too_many_requests at one of the limits. */
  take: (watcher: Watcher) => () => void;
}

/** The caller who opens a stream. */
export interface Watcher {
  caller: string;
  /** The owner of the run. */
  owner: string;
  /** True if the caller has no account. */
  isGuest: boolean;
}

export interface WatcherPlacesOptions {
  /** Streams of all watchers. */
  places: number;
  /**
   * Streams of one caller. Also the streams of all callers but the owner on the runs of one owner: run tokens come with
   * each start, and must not keep the owner from watching.
   */
  partyPlaces: number;
  /** Streams of all guests. The remaining places are kept for users with accounts. */
  guestPlaces: number;
  /** Streams of guests on the runs of one owner. */
  ownersGuestPlaces: number;
}

export const WATCHER_PLACES: WatcherPlacesOptions = Object.freeze({
  places: requestLimits.streams.value,
  partyPlaces: requestLimits.party_streams.value,
  guestPlaces: requestLimits.guest_streams.value,
  ownersGuestPlaces: requestLimits.owners_guest_streams.value,
});

const tooMany = (whose: string): Error =>
  apiError('too_many_requests', `Too many event streams are open already: the limit ${whose} is reached.`, {
    hint: 'Close streams that nobody reads, or try again after the seconds in Retry-After.',
    headers: { 'retry-after': '5' },
  });

export function makeWatcherPlaces(options: WatcherPlacesOptions = WATCHER_PLACES): WatcherPlaces {
  const { places, partyPlaces, guestPlaces, ownersGuestPlaces } = options;
  const taken = new Map<string, number>();
  let allTaken = 0;

  return {
    take: ({ caller, owner, isGuest }) => {
      const limits: (readonly [party: string, places: number, whose: string])[] = [
        [caller, partyPlaces, 'of one caller'],
        ...caller === owner
          ? []
          : [[`others of ${owner}`, partyPlaces, 'of callers other than the owner of these runs'] as const],
        ...isGuest
          ? [
            [`guests of ${owner}`, ownersGuestPlaces, 'of guests on the runs of this owner'] as const,
            ['guests', guestPlaces, 'of guests'] as const,
          ]
          : [],
      ];
      for (const [party, most, whose] of limits) {
        if ((taken.get(party) ?? 0) >= most) throw tooMany(whose);
      }
      const counted = limits.map(([party]) => party);
      if (allTaken >= places) throw tooMany('of all callers');
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
