/** How the runner works. */
export const runnerSettings = Object.freeze({
  /** How long a claim holds without a sign of life; then another worker may take the run over. */
  leaseSeconds: 30,
  /** How often a worker holds its claims and asks for news of them, such as a stop. */
  heartbeatMs: 1_000,
  /** How often progress is stored. */
  checkpointMs: 5_000,
  /** Finished node executions that are stored together at most. */
  checkpointNodeRuns: 500,
  /** Runs that one worker executes at a time. */
  concurrency: 16,
  /** Parsed snapshots that a worker keeps. */
  cachedSnapshots: 100,
});

export type RunnerSettings = typeof runnerSettings;
