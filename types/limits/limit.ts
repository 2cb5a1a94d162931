/** A fixed limit. Limits that an operator sets by environment variables are in runner/settings.ts. */
export interface Limit {
  value: number;
  /** The unit of the value, as the page of limits writes it behind the number. */
  unit: string;
  /** The thing that is limited. */
  meaning: string;
  /** What happens beyond the limit: the answer to the request, or the effect on the run. */
  beyond: string;
  /** True if SQL has the value as a function: the limit `flow_nodes` is `private.limit_flow_nodes()`. */
  inSql?: true;
}

/** The limits of one subject by name. */
export type Limits = Record<string, Limit>;
