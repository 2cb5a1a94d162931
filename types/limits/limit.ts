/** A fixed limit. Limits that an operator sets by environment variables are in runner/settings.ts. */
export interface Limit {
  value: number;
  /** The unit of the value, as the page of limits writes it behind the number. */
  unit: string;
  /** The thing that is limited. */
  meaning: string;
  /** The answer to a request, or the effect on a run, that goes beyond the limit. */
  beyond: string;
  /** True if SQL has the value as a function: the limit `flow_nodes` is `private.limit_flow_nodes()`. */
  inSql?: true;
}

/** The limits of one subject by name. */
export type Limits = Record<string, Limit>;
