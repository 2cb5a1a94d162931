import type { ToolPage } from '../../types/deployment_description.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import type { Credentials } from '../_shared/credentials.ts';
import type { EventHub } from '../_shared/waiting/event_hub.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import type { LookForEvents } from '../_shared/waiting/watched_events.ts';
import type { ToolMessage } from './message.ts';

/** How the runs of tools are executed, awaited and shown. */
export interface Runs {
  pokeRunner: (flowRunId: string) => void;
  fetch: typeof fetch;
  ends: RunWaiter<EndedRun>;
  events: EventHub;
  /** Reads events at once, for a watcher that the hub does not serve. */
  look: LookForEvents;
  /** The address of the console; undefined if the project has none. */
  consoleUrl: string | undefined;
  /** How long an answer waits for the run, in milliseconds. */
  roundMs: number;
}

/** A request of an assistant, after the database has accepted its caller. */
export interface AcceptedRequest {
  message: ToolMessage;
  /** The tools that the message asks for. */
  page: ToolPage;
  credentials: Credentials;
  /** True for the address that serves a user's own tools. */
  isOwn: boolean;
}
