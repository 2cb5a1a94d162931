/** An event in the runner's log. Each event is one line of JSON, for the operator. */
export type RunnerEvent =
  | { event: 'run_finished'; status: string; errors: number }
  | { event: 'run_released' | 'run_asleep' | 'run_suspended' | 'claim_lost' | 'worker_stopped' }
  /** The numbers of a slice's events by their names, and of failures that are left out of the log. */
  | { event: 'slice_ended'; counts: Record<string, number>; unlogged: number }
  | { event: 'worker_started'; url: string; concurrency: number }
  | { event: 'run_interrupted' | 'run_broken' | 'queue_unreadable' | 'webhooks_interrupted'; error: string };

/** Facts about the run of an event. */
export interface RunFacts {
  flow_run_id: string;
  claim_number: number;
  /** The time since the claim. */
  duration_ms: number;
  node_executions: number;
}

export type WriteLog = (level: 'info' | 'warn' | 'error', fields: RunnerEvent & Partial<RunFacts>) => void;

/** Writes to the console. The log of an Edge Function or a process shows its console. */
export const writeLog: WriteLog = (level, fields) =>
  console[level](JSON.stringify({ time: new Date().toISOString(), level, ...fields }));

/** Formats an error and its causes in one line. Only the operator reads the log; callers never see it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${errorText(error.cause)})`;
}
