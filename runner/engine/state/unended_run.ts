/** The run is released: another claim continues it. */
export interface Release {
  status: 'released';
  /** The time at which the run continues, in milliseconds since 1970. If undefined, it continues at once. */
  until?: number;
}

/** The run is released until somebody outside has answered. If nobody answers in time, it also continues. */
export interface Suspension {
  status: 'waiting';
  /**
   * The latest time at which the run continues, in milliseconds since 1970. It is the first time at which an attempt of
   * the run times out.
   */
  until?: number | undefined;
}
