/** The run is released: another claim continues it. */
export interface Release {
  status: 'released';
  /** The time at which the run continues, in milliseconds since 1970. If undefined, it continues at once. */
  until?: number;
}

/** The run is released until somebody outside has answered, or until the time for the answer is over. */
export interface Suspension {
  status: 'waiting';
  /**
   * The latest time at which the run continues, in milliseconds since 1970: the first time at which one of its attempts
   * times out.
   */
  until?: number | undefined;
}
