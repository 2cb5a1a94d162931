/** What a run of the sandbox may ask its host. */
export interface MachineHooks {
  /** Called in less than a millisecond each. An error that it throws ends the run. */
  onProgress: () => void;
  onLog: (line: string) => void;
  /** Milliseconds since 1970; what it throws ends the run. */
  now: () => number;
  random: () => number;
}

/** What the guest answered, as JSON, or why it could not. */
export type GuestAnswer = { answer: string } | { error: string; stack: string; isParsed: boolean };

/** The machine's memory is broken, or its stack was used up. */
export class MachineError extends Error {
  override name = 'MachineError';
}
