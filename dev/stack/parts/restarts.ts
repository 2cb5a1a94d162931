import type { Part } from './part.ts';

/** How often one part may be restarted within a minute. */
const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 60_000;

/** Restarts parts of a stack that have ended by themselves. */
interface Restarts {
  /** Says how to restart a part. A part is never restarted if `allow` was not called for its name. */
  allow: (name: string, boot: () => Promise<unknown>) => void;
  /** Restarts a part that has ended by itself, or gives up. Call this method once each time a part ends. */
  revive: (part: Pick<Part, 'name' | 'describeExit'>) => void;
}

interface RestartsOptions {
  log: (line: string) => void;
  /** Called with a description of the failure if a part is not restarted. */
  onGiveUp: (description: string) => void;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/**
 * Makes the restarts. Each part is restarted at most three times a minute. If a part ends a fourth time within a
 * minute, or if it may not be restarted, the stack must end.
 */
export function makeRestarts({ log, onGiveUp, now = () => performance.now() }: RestartsOptions): Restarts {
  const boots = new Map<string, () => Promise<unknown>>();
  /** The times of each part's restarts within the last minute. */
  const restartedAt = new Map<string, number[]>();
  return {
    allow: (name, boot) => void boots.set(name, boot),
    revive(part) {
      const boot = boots.get(part.name);
      if (boot === undefined) return onGiveUp(part.describeExit());
      const recent = (restartedAt.get(part.name) ?? []).filter((time) => now() - time < RESTART_WINDOW_MS);
      const [how, ...lastOutput] = part.describeExit().split('\n');
      if (recent.length >= MAX_RESTARTS) {
        const often = `It had been restarted ${MAX_RESTARTS} times within a minute.`;
        return onGiveUp([`${how}. ${often}`, ...lastOutput].join('\n'));
      }
      const times = [...recent, now()];
      restartedAt.set(part.name, times);
      log([`${how}: restarting it`, ...lastOutput].join('\n'));
      boot().then(() => log(`${part.name} runs again`), (error: Error) => {
        // If the new process ended while it started, another call of `revive` has handled that end already.
        if (restartedAt.get(part.name) === times) onGiveUp(error.message);
      });
    },
  };
}
