/** Milliseconds after which a slow boot reports its progress. Most boots take less time. */
const QUIET_MS = 5_000;

/** Reports the ready parts of a slow boot. */
interface BootProgress {
  /** Includes a part's boot in the reports, and returns the same promise. */
  track: <Result>(name: string, boot: Promise<Result>) => Promise<Result>;
  /** Ends the reports. */
  end: () => void;
}

export function makeBootProgress(say: (line: string) => void, quietMs = QUIET_MS): BootProgress {
  const began = performance.now();
  const booting = new Set<string>();
  let isTelling = false;
  const timer = setTimeout(() => {
    isTelling = true;
    if (booting.size > 0) say(`Still booting: ${[...booting].join(', ')}.`);
  }, quietMs);
  return {
    track: async (name, boot) => {
      booting.add(name);
      const result = await boot;
      booting.delete(name);
      if (isTelling) say(`${name} is ready after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
      return result;
    },
    end: () => {
      clearTimeout(timer);
      isTelling = false;
    },
  };
}
