/** The limits of one run, including the runs that it calls. */
export const runLimits = Object.freeze({
  /** Node executions, including those in iterations of loops and in called runs. */
  nodeExecutions: 100_000,
  /** The depth to which calls of flows may be nested. */
  interflowDepth: 1_024,
  /**
   * Nodes of all flows under way. Memory holds the graphs of these flows. If a flow is called several times, its nodes
   * count once for each call.
   */
  openNodes: 50_000,
  /** Bytes of one node execution's outputs, as JSON. */
  outputBytes: 1_048_576,
  /**
   * The size of the outputs of all node executions: their bytes as JSON, and 32 bytes more for each value. Every claim
   * of the run holds these outputs in memory.
   */
  allOutputBytes: 16_777_216,
  /** Bytes of the inputs and outputs of all node executions, as JSON. */
  totalBytes: 134_217_728,
  /** Log lines of one run, and the characters of all these lines. */
  logLines: 10_000,
  logCharacters: 4_194_304,
});

export type RunLimits = { readonly [limit in keyof typeof runLimits]: number };
