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
  /** The run in which it happened: the one that is watched, or one that it called. */
  flow_run_id: string;
  /** Null for the run at the root of the tree. */
  called_by: CallingExecution | null;
  time: string;
}

interface OfNode extends OfRun {
  node_id: string;
  /** 0 for the first execution; counts up inside a loop. */
  times: number;
  /** As the editor shows it. */
  name: string;
}

interface OfExecution extends OfNode {
  /** The attempt that the execution is at when the event is told: 1 but for nodes with `data.retry`. */
  attempt: number;
  /** It was executed in the run that this one was redriven from, at `time`. */
  is_taken_over: boolean;
}

/** A value of an event: null where it has more than 8 KiB, or there is none. */
type EventValue = { M: ValueMap } | null;

/** What each event tells. Optional members are for the owner of the flow only. */
export interface RunEventData {
  run_start: OfRun & { inputs?: EventValue };
  node_start: OfExecution & { input?: EventValue };
  node_finish: OfExecution & { output?: EventValue };
  node_error: OfExecution & { output?: EventValue; errors?: string[] };
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
  /** A signature that the run waits for; `id` is that of the signature request. */
  signature_request: OfNode & { id: number; kind: SignatureRequestKind; pubkey: string; expires_at: string };
  /** A value that the run waits for; `url` takes it, and is null once there is nothing to wait for. */
  api_input: OfNode & { id: string; url: string | null; expires_at: string };
  run_finish: OfRun & { status: RunStatus; output?: EventValue; errors?: string[] | null };
}

/** An event of a run. `id` is its number: a watcher who has seen it goes on after it. */
export type RunEvent = {
  [Name in keyof RunEventData]: { id: number; event: Name; data: RunEventData[Name] };
}[keyof RunEventData];

/** A page of events, as `rpc('flow_run_events')` answers. */
export interface RunEventPage {
  events: RunEvent[];
  /** Where the next page goes on. */
  last: number;
  has_more: boolean;
  /** There will be no event after `last`. */
  has_ended: boolean;
  /** The run at the root of the tree. */
  flow_run_id: string;
  is_owner: boolean;
  owner_id: string;
  /** The user who asked, or the run whose token they showed. */
  caller: string;
  /** Whether the caller has no account. */
  is_guest: boolean;
  is_overdue: boolean;
}

/** What a `Last-Event-ID` says: the number of the last event that the watcher knows, 0 for none. */
export const eventCursorSchema = z.string()
  .regex(/^\d{0,10}$/, 'must be the id of an event: an integer of 0 or more')
  .transform(Number)
  .pipe(z.int('must be the id of an event: at most 2147483647').max(2_147_483_647, 'must be at most 2147483647'));
