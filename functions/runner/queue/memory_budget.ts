/** What one run holds of the worker's memory. */
export interface MemorySeat {
  /** The run has come to as many bytes more. */
  grow: (bytes: number) => void;
  leave: () => void;
}

/** A run that wants to hold something. */
export interface MemoryGuest {
  ownerId: string;
  /** Bytes that earlier claims have come to. */
  bytes: number;
  /** Asks the run to go back to the queue: it leaves as soon as it can. */
  giveWay: () => void;
  /** How long it has been held, in milliseconds. */
  heldMs: () => number;
  /** Aborted when the run shall only stop: then it goes before all others, beside what they hold, one such run at a time. */
  stopping?: AbortSignal;
}

/** What the runs that a worker executes at once may hold of node outputs in memory. A run alone may always go on. */
export interface MemoryRoom {
  /** Gives a seat, now or as soon as there is room for it; undefined when one of the signals is aborted before. */
  enter: (guest: MemoryGuest, signals: AbortSignal[]) => MemorySeat | Promise<MemorySeat | undefined>;
  /** Where others wait: who holds most, and has had it for as long, is asked to leave. */
  relieve: (heldMs: number) => void;
}

/** A run that holds no more counts for nothing, and waits for nobody. */
const SMALL_BYTES = 65_536;

interface Seated extends MemoryGuest {
  isLeaving: boolean;
}

interface Waiting {
  guest: Seated;
  admit: () => void;
  /** It has waited for long: room is made for it by those whose owners hold more. */
  isOverdue: boolean;
}

const isStopping = ({ stopping }: MemoryGuest) => stopping?.aborted ?? false;

const sizeOf = ({ bytes }: MemoryGuest) => bytes > SMALL_BYTES ? bytes : 0;

const sum = (guests: Iterable<MemoryGuest>): number => [...guests].reduce((bytes, guest) => bytes + sizeOf(guest), 0);

export function makeMemoryRoom(maxBytes: number): MemoryRoom {
  const seated = new Set<Seated>();
  const waiting = new Set<Waiting>();

  const heldBy = (ownerId: string) => sum([...seated].filter((guest) => guest.ownerId === ownerId));
  const fits = (guest: Seated): boolean => {
    const size = sizeOf(guest);
    const held = sum(isStopping(guest) ? [...seated].filter(isStopping) : seated);
    return size === 0 || held === 0 || held + size <= maxBytes;
  };

  /** Who shall stop; else of the owner who holds least, whoever waits longest. */
  const nextOfWaiting = (): Waiting | undefined =>
    [...waiting]
      .map((one) => ({ one, isFirst: Number(isStopping(one.guest)), held: heldBy(one.guest.ownerId) }))
      .sort((a, b) => b.isFirst - a.isFirst || a.held - b.held)[0]?.one;

  /** Who is too large for now keeps those behind waiting, or would never enter. */
  const admit = (): void => {
    for (let next = nextOfWaiting(); next !== undefined && fits(next.guest); next = nextOfWaiting()) {
      waiting.delete(next);
      seated.add(next.guest);
      next.admit();
    }
  };

  const staying = () => [...seated].filter((guest) => !guest.isLeaving && sizeOf(guest) > 0);

  /** Asks the largest run to leave, of the owner among these who holds most. */
  const askToLeave = (guests: Seated[]): void => {
    const [largest] = guests
      .map((guest) => ({ guest, held: heldBy(guest.ownerId) }))
      .sort((a, b) => b.held - a.held || b.guest.bytes - a.guest.bytes);
    if (largest === undefined) return;
    largest.guest.isLeaving = true;
    largest.guest.giveWay();
  };

  /** A run that is alone may stay, however large it is. */
  const makeRoom = (): void => {
    for (let guests = staying(); guests.length > 1 && sum(guests) > maxBytes; guests = staying()) askToLeave(guests);
    makeRoomForOverdue();
  };

  /** Else those who enter small, and grow, would keep a large run waiting for ever. */
  const makeRoomForOverdue = (): void => {
    const next = nextOfWaiting();
    if (next === undefined || !next.isOverdue) return;
    const { ownerId } = next.guest;
    const leastHeld = heldBy(ownerId);
    while (sum(staying()) + sizeOf(next.guest) > maxBytes) {
      const guests = staying().filter((guest) => guest.ownerId === ownerId || heldBy(guest.ownerId) > leastHeld);
      if (guests.length === 0) return;
      askToLeave(guests);
    }
  };

  const seatOf = (guest: Seated): MemorySeat => ({
    grow: (bytes) => {
      guest.bytes += bytes;
      if (sizeOf(guest) > 0) makeRoom();
    },
    leave: () => {
      seated.delete(guest);
      admit();
    },
  });

  return {
    relieve: (heldMs) => {
      if (waiting.size === 0) return;
      askToLeave(staying().filter((guest) => guest.heldMs() >= heldMs));
      for (const one of waiting) one.isOverdue ||= one.guest.heldMs() >= heldMs;
      makeRoomForOverdue();
    },
    enter: (given, signals) => {
      const guest = { ...given, isLeaving: false };
      if (sizeOf(guest) === 0 || ((waiting.size === 0 || isStopping(guest)) && fits(guest))) {
        seated.add(guest);
        return seatOf(guest);
      }
      return new Promise((resolve) => {
        const end = (seat: MemorySeat | undefined) => {
          for (const signal of signals) signal.removeEventListener('abort', giveUp);
          guest.stopping?.removeEventListener('abort', admit);
          resolve(seat);
        };
        const one: Waiting = { guest, admit: () => end(seatOf(guest)), isOverdue: false };
        const giveUp = () => {
          if (!waiting.delete(one)) return;
          end(undefined);
          admit();
        };
        waiting.add(one);
        guest.stopping?.addEventListener('abort', admit);
        for (const signal of signals) signal.addEventListener('abort', giveUp);
        if (signals.some((signal) => signal.aborted)) giveUp();
      });
    },
  };
}
