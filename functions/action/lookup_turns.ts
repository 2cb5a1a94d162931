import { type Admission, ADMISSION_OPTIONS, type AdmissionOptions, makeAdmission } from '../../platform/admission.ts';

/** The users for whom a look-up is made, and the RPC address of the look-up. */
export interface LookupTurn {
  /** The owner of the deployment. */
  owner: string;
  /** The starter of the run. */
  caller: string;
  url: string;
}

/** Makes look-ups wait for their turns. */
export interface LookupTurns {
  /** Does the work in its turn. Throws too_many_requests if too many look-ups already wait. */
  take: <Result>(lookup: LookupTurn, work: () => Promise<Result>) => Promise<Result>;
}

interface LookupTurnsOptions {
  /** The most concurrent look-ups in total. */
  slots: number;
  /**
   * The most concurrent look-ups at one address. The server at this address may ban clients that send too many
   * requests.
   */
  addressSlots: number;
  /**
   * The most concurrent look-ups of one owner at one address. `aloneSlots` applies while no other owner uses the
   * address, `sharedSlots` while other owners use it.
   */
  aloneSlots: number;
  sharedSlots: number;
  /** The most concurrent look-ups of one caller for one owner's deployments. */
  callerSlots: number;
  /** The most waiting look-ups of one owner at one address. */
  maxWaiting: number;
}

/**
 * A look-up may last 15 seconds. A single owner does not get all slots of an address, so that the next owner finds a
 * free slot.
 */
const LOOKUP_TURNS: LookupTurnsOptions = Object.freeze({
  slots: 64,
  addressSlots: 16,
  aloneSlots: 10,
  sharedSlots: 4,
  callerSlots: 2,
  maxWaiting: 32,
});

/**
 * Makes turns by address, owner and caller, so that an owner or caller with many look-ups does not block others at the
 * same address.
 */
export function makeLookupTurns(options: LookupTurnsOptions = LOOKUP_TURNS): LookupTurns {
  const { slots, addressSlots, aloneSlots, sharedSlots, callerSlots, maxWaiting } = options;
  const waiting = { ...ADMISSION_OPTIONS, maxWaiting };
  const all: AdmissionOptions = {
    ...ADMISSION_OPTIONS,
    slots,
    aloneSlots: addressSlots,
    sharedSlots: addressSlots,
  };
  const one = { ...waiting, slots: Infinity, aloneSlots: callerSlots, sharedSlots: callerSlots };
  const [addresses, callers] = [makeAdmission(all), makeAdmission(one)];
  /** The owners' turns at each address in use. */
  const ownersAt = new Map<string, { owners: Admission; users: number }>();

  /** Does the work in a turn of this owner at the address. */
  const atAddress = async <Result>({ url, owner }: LookupTurn, work: () => Promise<Result>): Promise<Result> => {
    const address = ownersAt.get(url) ??
      { owners: makeAdmission({ ...waiting, slots: addressSlots, aloneSlots, sharedSlots }), users: 0 };
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
