import { apiError } from '../_shared/api_error.ts';

/** Shares out how many streams of events an instance keeps open. */
export interface WatcherPlaces {
  /**
   * Takes a place for a stream of this caller, of a run of this owner, and gives what leaves it. Throws too_many_requests
   * when the caller has as many as one may, when others than the owner have as many of the owner's runs, or when all are
   * taken.
   */
  take: (caller: string, owner: string) => () => void;
}

export interface WatcherPlacesOptions {
  /** Streams of all watchers. */
  places: number;
  /**
   * Streams that one caller has, and streams that all others than the owner have of the runs of one owner: run tokens come
   * with each start, and must not keep the owner from watching.
   */
  partyPlaces: number;
}

export const WATCHER_PLACES: WatcherPlacesOptions = Object.freeze({ places: 1_000, partyPlaces: 250 });

const tooMany = (whose: string): Error =>
  apiError('too_many_requests', `Too many streams of events are open already, ${whose}.`, {
    hint: 'Close streams that nobody reads, or try again after the seconds in Retry-After.',
    headers: { 'retry-after': '5' },
  });

export function makeWatcherPlaces({ places, partyPlaces }: WatcherPlacesOptions = WATCHER_PLACES): WatcherPlaces {
  const taken = new Map<string, number>();
  let allTaken = 0;

  return {
    take: (caller, owner) => {
      const counted = caller === owner ? [caller] : [caller, `others of ${owner}`];
      if (counted.some((party) => (taken.get(party) ?? 0) >= partyPlaces)) {
        throw tooMany('of this caller, or of others than the owner of these runs');
      }
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
