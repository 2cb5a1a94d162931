/** The functions of the host that a run of the sandbox may call. */
export interface MachineHooks {
  /** Called at least once in each millisecond. An error that it throws ends the run. */
  onProgress: () => void;
  onLog: (line: string) => void;
  /** Milliseconds since 1970. An error that it throws ends the run. */
  now: () => number;
  random: () => number;
}

/** The guest's answer as JSON, or the guest's error. `isParsed` is true if the code was parsed before the error. */
export type GuestAnswer = { answer: string } | { error: string; stack: string; isParsed: boolean };

/** The machine's memory is broken, or its stack was used up. */
export class MachineError extends Error {
  override name = 'MachineError';

  constructor(reason: string) {
    super(`the script ended its sandbox: ${reason}`);
  }
}
