import { z } from 'zod';
import type { RunStatus } from './flow_run.ts';
import type { SignatureRequestKind } from './signature_request.ts';
import type { ValueMap } from './values/value.ts';

/** The node execution that called a run. */
export interface CallingExecution {
  flow_run_id: string;
  node_id: string;
  times: number;
}

interface OfRun {
  /** The run of the event: the watched run, or one that it called. */
  flow_run_id: string;
  /** Null for the run at the root of the tree. */
  called_by: CallingExecution | null;
  time: string;
}

interface OfNode extends OfRun {
  node_id: string;
  /** The index of the execution: 0, or inside a loop 0, 1, 2 and so on. */
  times: number;
  /** The name in the editor. */
  name: string;
}

interface OfExecution extends OfNode {
  /** The number of the current attempt: always 1 except for nodes with `data.retry`. */
  attempt: number;
  /**
   * True if the execution was taken over from the run that this run redrives. In this case the earlier run executed the
   * node, at `time`.
   */
  is_taken_over: boolean;
}

/** A value of an event; null if the event has no value, or one of more than 8 KiB. */
type EventValue = { M: ValueMap } | null;

/** The data of each event. Optional members are for the owner of the flow only. */
export interface RunEventData {
  run_start: OfRun & { inputs?: EventValue };
  node_start: OfExecution & { input?: EventValue };
  node_finish: OfExecution & { output?: EventValue };
  /**
   * If `error_handled`, the errors went to the output `error` of the node, so the run does not fail because of them.
   */
  node_error: OfExecution & { error_handled: boolean; output?: EventValue; errors?: string[] };
  /** For the owner of the flow only. `node_id`, `times` and `name` are null for a line of the run itself. */
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
  /** The run waits for a value. `url` accepts the value; it is null after the wait has ended. */
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
  /** The number after which the next page begins. */
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
