/** The questions that a run of the sandbox may ask its host. */
export interface MachineHooks {
  /** Called in less than a millisecond each. An error that it throws ends the run. */
  onProgress: () => void;
  onLog: (line: string) => void;
  /** Milliseconds since 1970; what it throws ends the run. */
  now: () => number;
  random: () => number;
}

/** The guest's answer as JSON, or its error. `isParsed`: the code was parsed before the error. */
export type GuestAnswer = { answer: string } | { error: string; stack: string; isParsed: boolean };

/** The machine's memory is broken, or its stack was used up. */
export class MachineError extends Error {
  override name = 'MachineError';

  constructor(reason: string) {
    super(`the script ended its sandbox: ${reason}`);
  }
}
