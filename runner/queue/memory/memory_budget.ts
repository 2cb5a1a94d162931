/** The memory that one admitted run holds. */
export interface HeldMemory {
  /** Counts further bytes of the run's outputs. */
  grow: (bytes: number) => void;
  /** Frees all memory of the run. */
  free: () => void;
}

/** A run that needs memory for node outputs. */
interface MemoryUser {
  ownerId: string;
  /** Bytes of node outputs that earlier claims of the run stored. */
  bytes: number;
  /** Asks the run to release its claim. The run does so as soon as possible. */
  release: () => void;
  /** Milliseconds since the run was claimed. */
  heldMs: () => number;
  /**
   * Aborted if the run must stop. The run is then admitted before all others. Of the admitted runs, only those that
   * must stop, too, then count against the limit.
   */
  stopping?: AbortSignal;
}

/**
 * Limits the memory for node outputs of all runs that a worker executes. A run that is alone may continue, regardless
 * of its size.
 */
export interface MemoryBudget {
  /** Admits the run now, or as soon as it fits. Resolves with undefined if one of the signals is aborted first. */
  admit: (run: MemoryUser, signals: AbortSignal[]) => HeldMemory | Promise<HeldMemory | undefined>;
  /** If runs wait for memory, asks one run to release its claim: the largest of those held for at least `heldMs`. */
  relieve: (heldMs: number) => void;
}

/** A run up to this size is not counted and is admitted at once. */
const SMALL_BYTES = 65_536;

interface AdmittedRun extends MemoryUser {
  isReleasing: boolean;
}

interface WaitingRun {
  run: AdmittedRun;
  admit: () => void;
  /** True if the run has waited so long that runs of owners who hold more memory are asked to release their claims. */
  isOverdue: boolean;
}

const isStopping = ({ stopping }: MemoryUser) => stopping?.aborted ?? false;

const sizeOf = ({ bytes }: MemoryUser) => bytes > SMALL_BYTES ? bytes : 0;

const sum = (runs: Iterable<MemoryUser>): number => [...runs].reduce((bytes, run) => bytes + sizeOf(run), 0);

export function makeMemoryBudget(maxBytes: number): MemoryBudget {
  const admitted = new Set<AdmittedRun>();
  const waiting = new Set<WaitingRun>();

  const heldBy = (ownerId: string) => sum([...admitted].filter((run) => run.ownerId === ownerId));
  const fits = (run: AdmittedRun): boolean => {
    const size = sizeOf(run);
    const held = sum(isStopping(run) ? [...admitted].filter(isStopping) : admitted);
    return size === 0 || held === 0 || held + size <= maxBytes;
  };

  /**
   * Returns the next run. A run that must stop comes first, then the longest waiting run of the owner who holds the
   * least memory.
   */
  const nextOfWaiting = (): WaitingRun | undefined =>
    [...waiting]
      .map((one) => ({ one, isFirst: Number(isStopping(one.run)), held: heldBy(one.run.ownerId) }))
      .sort((a, b) => b.isFirst - a.isFirst || a.held - b.held)[0]?.one;

  /**
   * Admits waiting runs, and stops at the first run that does not fit. If smaller runs overtook that run, it could wait
   * for ever.
   */
  const admitWaiting = (): void => {
    for (let next = nextOfWaiting(); next !== undefined && fits(next.run); next = nextOfWaiting()) {
      waiting.delete(next);
      admitted.add(next.run);
      next.admit();
    }
  };

  const staying = () => [...admitted].filter((run) => !run.isReleasing && sizeOf(run) > 0);

  /** Asks one of these runs to release its claim: the largest run of the owner who holds the most memory. */
  const askToRelease = (runs: AdmittedRun[]): void => {
    const [largest] = runs
      .map((run) => ({ run, held: heldBy(run.ownerId) }))
      .sort((a, b) => b.held - a.held || b.run.bytes - a.run.bytes);
    if (largest === undefined) return;
    largest.run.isReleasing = true;
    largest.run.release();
  };

  const keepWithinLimit = (): void => {
    for (let runs = staying(); runs.length > 1 && sum(runs) > maxBytes; runs = staying()) askToRelease(runs);
    makeRoomForOverdue();
  };

  /**
   * Makes room for an overdue run. Otherwise a large run could wait for ever, because admitted runs begin small and
   * then grow.
   */
  const makeRoomForOverdue = (): void => {
    const next = nextOfWaiting();
    if (next === undefined || !next.isOverdue) return;
    const { ownerId } = next.run;
    const leastHeld = heldBy(ownerId);
    while (sum(staying()) + sizeOf(next.run) > maxBytes) {
      const runs = staying().filter((run) => run.ownerId === ownerId || heldBy(run.ownerId) > leastHeld);
      if (runs.length === 0) return;
      askToRelease(runs);
    }
  };

  const memoryOf = (run: AdmittedRun): HeldMemory => ({
    grow: (bytes) => {
      run.bytes += bytes;
      if (sizeOf(run) > 0) keepWithinLimit();
    },
    free: () => {
      admitted.delete(run);
      admitWaiting();
    },
  });

  return {
    relieve: (heldMs) => {
      if (waiting.size === 0) return;
      askToRelease(staying().filter((run) => run.heldMs() >= heldMs));
      for (const one of waiting) one.isOverdue ||= one.run.heldMs() >= heldMs;
      makeRoomForOverdue();
    },
    admit: (given, signals) => {
      const run = { ...given, isReleasing: false };
      if (sizeOf(run) === 0 || ((waiting.size === 0 || isStopping(run)) && fits(run))) {
        admitted.add(run);
        return memoryOf(run);
      }
      return new Promise((resolve) => {
        const end = (memory: HeldMemory | undefined) => {
          for (const signal of signals) signal.removeEventListener('abort', giveUp);
          run.stopping?.removeEventListener('abort', admitWaiting);
          resolve(memory);
        };
        const one: WaitingRun = { run, admit: () => end(memoryOf(run)), isOverdue: false };
        const giveUp = () => {
          if (!waiting.delete(one)) return;
          end(undefined);
          admitWaiting();
        };
        waiting.add(one);
        run.stopping?.addEventListener('abort', admitWaiting);
        for (const signal of signals) signal.addEventListener('abort', giveUp);
        if (signals.some((signal) => signal.aborted)) giveUp();
      });
    },
  };
}
