import { z } from 'zod';
import type { ValueMap } from './values/value.ts';
import { requestLimits } from './limits/requests.ts';
import { runLimits } from './limits/runs.ts';

/** The states of a run. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'stopped';

/** The states of a run that has ended. */
export type EndedStatus = Extract<RunStatus, 'succeeded' | 'failed' | 'stopped'>;

/** A run's status, output and errors, as returned by `rpc('flow_run_result')`. */
export interface FlowRunResult {
  status: RunStatus;
  /** Null until the run has ended. */
  output: { M: ValueMap } | null;
  errors: string[] | null;
  /**
   * True if the run has not ended, and some run has waited in the queue for 2 s or longer. The Edge Function `runner`
   * should then be called.
   */
  is_overdue: boolean;
}

/** An open question of a run. If the caller may not answer it, only the id is told. */
export interface RunQuestion {
  id: string;
  /** The address for the answer. */
  url?: string;
  title?: string | null;
  description?: string | null;
  json_schema?: Record<string, unknown> | null;
  choices?: string[] | null;
}

/** A run that its caller has started as a tool, as `rpc('tool_run')` returns it. */
export interface ToolRun extends Omit<FlowRunResult, 'is_overdue'> {
  flow_run_id: string;
  /** True if the run waits for a signature. */
  asks_for_signature: boolean;
  questions: RunQuestion[];
}

/** The result of an ended run. `errors` is null if the run has succeeded. */
export type EndedRun = Pick<FlowRunResult, 'output' | 'errors'> & { status: EndedStatus };

/** Tests whether a run with this status has ended. */
export const hasEnded = (status: RunStatus): status is EndedStatus =>
  status === 'succeeded' || status === 'failed' || status === 'stopped';

/**
 * The default wait of a request, in seconds. Most runs end within this time. So a client that can't handle the status
 * 202 (the run has not ended) still gets most outputs.
 */
export const DEFAULT_WAIT_SECONDS = requestLimits.default_wait_seconds.value;
/** The longest wait of a request, in seconds. */
export const MAX_WAIT_SECONDS = requestLimits.wait_seconds.value;

/** The id of a run in a path. Upper case is converted to lower case, because the database returns lower case. */
export const flowRunIdSchema = z.uuid('must be the UUID of a run').toLowerCase();

/** The path of a route that names a run. */
export const flowRunPathSchema = z.object({ flow_run_id: flowRunIdSchema });

/** The query of a waiting request: the wait in seconds. */
export const waitSchema = z.object({
  wait: z.string().regex(/^\d{1,9}(\.\d{1,3})?$/, 'must be a number of seconds')
    .transform((text) => Math.min(Number(text), MAX_WAIT_SECONDS))
    .default(DEFAULT_WAIT_SECONDS),
});
export type WaitQuery = z.output<typeof waitSchema>;

/** The body of a stop. Every member is optional. */
export const stopFlowParamsSchema = z.strictObject({
  /** The time that running nodes have to end by themselves, in milliseconds. */
  timeout_millies: z.int().min(0).max(runLimits.stop_timeout_ms.value).optional(),
  /** The reason, which becomes part of the errors of the cancelled nodes. */
  reason: z.string().max(runLimits.stop_reason_characters.value).optional(),
});

/** The query of a redrive. */
export const redriveQuerySchema = z.object({
  accept_unknown: z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true').default(
    false,
  ),
  /** Another deployment of the flow. The new run uses its graph and settings. */
  deployment: z.uuid('must be the id of a deployment').optional(),
});
export type RedriveQuery = z.output<typeof redriveQuerySchema>;

/** The body of a redrive. */
export const redriveParamsSchema = z.strictObject({
  /** The nodes that may have their effects again, although they succeeded in the earlier run with other inputs. */
  repeat_effects: z.array(z.strictObject({ flow_id: z.int().min(1).max(2_147_483_647), node_id: z.uuid() }))
    .max(runLimits.repeated_nodes.value).optional(),
});

/** The answer to a stop. */
export interface StopFlowResult {
  success: true;
}
