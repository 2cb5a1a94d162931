import { type AdmissionOptions, makeAdmission } from '../../../platform/admission.ts';
import type { StorageClaims } from './callers.ts';
import type { ObjectStore } from './object_store.ts';

/** The connections of Storage to the database. */
export const CONNECTIONS = 4;

/** One caller uses two of the connections while nobody else is active, and one otherwise. */
const TURNS: AdmissionOptions = {
  slots: CONNECTIONS,
  aloneSlots: 2,
  sharedSlots: 1,
  recentMs: 1_000,
  maxWaiting: 200,
  maxAllWaiting: 2_000,
  now: () => performance.now(),
};

/** Returns in whose turn a request is made. A request with the secret key is made for the owner of a folder. */
function callerOf({ role, sub }: StorageClaims, name = ''): string {
  if (role === 'service_role') return `folder ${name.split('/')[0]}`;
  return typeof sub === 'string' ? `user ${sub}` : role;
}

/** Makes a store whose callers take turns, so that the lists and files of one caller do not block others. */
export function inTurns(store: ObjectStore): ObjectStore {
  const { admit } = makeAdmission(TURNS);
  return {
    ...store,
    find: (place, claims) => admit(callerOf(claims, place.name), () => store.find(place, claims)),
    put: (place, object, claims) => admit(callerOf(claims, place.name), () => store.put(place, object, claims)),
    remove: (bucket, names, claims) => admit(callerOf(claims, names[0]), () => store.remove(bucket, names, claims)),
    list: (bucket, listing, claims) =>
      admit(callerOf(claims, listing.prefix), () => store.list(bucket, listing, claims)),
  };
}
