/** What one run may use up, its interflow children included. */
export const runLimits = Object.freeze({
  /** Node executions, all iterations of loops and all children counted. */
  nodeExecutions: 100_000,
  /** How deep flows may call flows. */
  interflowDepth: 1_024,
  /** Milliseconds of work; waiting for signatures is none. */
  workMs: 900_000,
  /** Bytes of one node execution's outputs, as JSON. */
  outputBytes: 1_048_576,
  /** Log lines of one run, children counted for themselves. */
  logLines: 10_000,
});

export type RunLimits = { readonly [limit in keyof typeof runLimits]: number };
