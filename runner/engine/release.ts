/** The run is released: another claim continues it. */
export interface Release {
  status: 'released';
  /** When it continues, in milliseconds since 1970. Undefined: at once. */
  until?: number;
}

/** The run is released until somebody outside has answered, or the time for that is over. */
export interface Suspension {
  status: 'waiting';
  /** When it continues at the latest, in milliseconds since 1970: the time of one of its attempts is over then. */
  until?: number | undefined;
}
