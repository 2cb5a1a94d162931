import { type Admission, ADMISSION_OPTIONS, type AdmissionOptions, makeAdmission } from '../_shared/admission.ts';

/** Whose look-up it is, and which RPC address it asks. */
export interface Lookup {
  /** The owner of the deployment. */
  owner: string;
  /** Who started the run. */
  caller: string;
  url: string;
}

/** Lets look-ups wait for their turns. */
export interface LookupTurns {
  /** Does the work in its turn. Throws too_many_requests when too many wait already. */
  take: <Result>(lookup: Lookup, work: () => Promise<Result>) => Promise<Result>;
}

export interface LookupTurnsOptions {
  /** Look-ups under way, of all. */
  places: number;
  /** Look-ups under way at one address, which may ban who asks more often. */
  addressPlaces: number;
  /** Of these, those of one owner: alone, and while others look there, too. */
  alonePlaces: number;
  sharedPlaces: number;
  /** Look-ups under way of one caller at one owner's deployments. */
  callerPlaces: number;
  /** Look-ups of one owner that wait for an address. */
  maxWaiting: number;
}

/** A look-up may last a quarter of a minute, so that an owner alone leaves places for the next one who comes. */
export const LOOKUP_TURNS: LookupTurnsOptions = Object.freeze({
  places: 64,
  addressPlaces: 16,
  alonePlaces: 10,
  sharedPlaces: 4,
  callerPlaces: 2,
  maxWaiting: 32,
});

/** Makes turns by address, owner and caller: nobody who looks often keeps those from looking who use the same address. */
export function makeLookupTurns(options: LookupTurnsOptions = LOOKUP_TURNS): LookupTurns {
  const { places, addressPlaces, alonePlaces, sharedPlaces, callerPlaces, maxWaiting } = options;
  const waiting = { ...ADMISSION_OPTIONS, maxWaiting };
  const all: AdmissionOptions = {
    ...ADMISSION_OPTIONS,
    places,
    alonePlaces: addressPlaces,
    sharedPlaces: addressPlaces,
  };
  const one = { ...waiting, places: Infinity, alonePlaces: callerPlaces, sharedPlaces: callerPlaces };
  const [addresses, callers] = [makeAdmission(all), makeAdmission(one)];
  /** The owners' turns at each address that is in use. */
  const ownersAt = new Map<string, { owners: Admission; users: number }>();

  /** Does the work in a turn of this owner at the address. */
  const atAddress = async <Result>({ url, owner }: Lookup, work: () => Promise<Result>): Promise<Result> => {
    const address = ownersAt.get(url) ??
      { owners: makeAdmission({ ...waiting, places: addressPlaces, alonePlaces, sharedPlaces }), users: 0 };
    ownersAt.set(url, address);
    address.users++;
    try {
      return await address.owners.admit(owner, work);
    } finally {
      address.users--;
      if (address.users === 0) ownersAt.delete(url);
    }
  };

  return {
    take: (lookup, work) =>
      callers.admit(
        `${lookup.owner} ${lookup.caller}`,
        () => atAddress(lookup, () => addresses.admit(lookup.url, work)),
      ),
  };
}
