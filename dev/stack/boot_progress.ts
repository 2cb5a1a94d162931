/** Milliseconds after which a boot says what it waits for. Most boots take less. */
const QUIET_MS = 5_000;

/** Tells whoever waits for a boot that takes long which parts are ready. */
export interface BootProgress {
  /** The boot of a part, as it is given. */
  track: <Result>(name: string, boot: Promise<Result>) => Promise<Result>;
  /** Says nothing any more. */
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
