import { z } from 'zod';
import type { RunStatus } from './flow_run.ts';
import type { SignatureRequestKind } from './signature_request.ts';
import type { ValueMap } from './values/value.ts';

/** The node execution that called a run. */
interface CallingExecution {
  flow_run_id: string;
  node_id: string;
  times: number;
}

interface OfRun {
  /** The run of the event: the watched run, or a run in its tree of calls. */
  flow_run_id: string;
  /** Null for the run at the root of the tree. */
  called_by: CallingExecution | null;
  time: string;
}

interface OfNode extends OfRun {
  node_id: string;
  /** The index of the execution: inside a loop 0, 1, 2 and so on, otherwise 0. */
  times: number;
  /** The name in the editor. */
  name: string;
}

interface OfExecution extends OfNode {
  /** The number of the current attempt. If the node has no `data.retry`, it is always 1. */
  attempt: number;
  /**
   * True if this run is a redrive and took over the result of the execution. Then an earlier run executed the node, at
   * `time`.
   */
  is_taken_over: boolean;
}

/** The values in an event. Null if the event has no values, or if they are larger than 8 KiB. */
type EventValue = { M: ValueMap } | null;

/** The data of each event. Only the owner of the flow gets the optional members. */
export interface RunEventData {
  run_start: OfRun & { inputs?: EventValue };
  node_start: OfExecution & { input?: EventValue };
  node_finish: OfExecution & { output?: EventValue };
  /**
   * If `error_handled`, the errors went to the output `error` of the node, so the run does not fail because of them.
   */
  node_error: OfExecution & { error_handled: boolean; output?: EventValue; errors?: string[] };
  /**
   * A line of the log, for the owner of the flow only. If no node wrote the line, `node_id`, `times` and `name` are
   * null.
   */
  log: OfRun & {
    node_id: string | null;
    times: number | null;
    name: string | null;
    log_index: number;
    log_level: string;
    module: string | null;
    content: string;
  };
  /** The run waits for a signature. `id` is the id of the signature request. */
  signature_request: OfNode & { id: number; kind: SignatureRequestKind; pubkey: string; expires_at: string };
  /** The run waits for a value. `url` is the address to which the value is sent; null after the wait has ended. */
  api_input: OfNode & { id: string; url: string | null; expires_at: string };
  run_finish: OfRun & { status: RunStatus; output?: EventValue; errors?: string[] | null };
}

/**
 * An event of a run. `id` is the event's number. A watcher who reconnects sends the number of the last event that
 * arrived, and gets the events after it.
 */
export type RunEvent = {
  [Name in keyof RunEventData]: { id: number; event: Name; data: RunEventData[Name] };
}[keyof RunEventData];

/** A page of events, as returned by `rpc('flow_run_events')`. */
export interface RunEventPage {
  events: RunEvent[];
  /** The number of an event. The next page begins after this event. */
  last: number;
  has_more: boolean;
  /** True if there will be no event after `last`. */
  has_ended: boolean;
  /** The run at the root of the tree. */
  flow_run_id: string;
  is_owner: boolean;
  owner_id: string;
  /** The user who called, or the run whose token the caller sent. */
  caller: string;
  /** True if the caller has no account. */
  is_guest: boolean;
  is_overdue: boolean;
}

/** The header `Last-Event-ID`: the number of the last event that the watcher has, 0 for none. */
export const eventCursorSchema = z.string()
  .regex(/^\d{0,10}$/, 'must be the id of an event: an integer of 0 or more')
  .transform(Number)
  .pipe(z.int('must be the id of an event: at most 2147483647').max(2_147_483_647, 'must be at most 2147483647'));
