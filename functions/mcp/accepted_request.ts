import type { ToolPage } from '../../types/deployment_description.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import type { Credentials } from '../_shared/credentials.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import type { ToolMessage } from './message.ts';

/** How the runs of tools are executed and awaited. */
export interface Runs {
  pokeRunner: (flowRunId: string) => void;
  ends: RunWaiter<EndedRun>;
}

/** A request of an assistant, after the database has accepted its caller. */
export interface AcceptedRequest {
  message: ToolMessage;
  /** The tools that the message asks for. */
  page: ToolPage;
  credentials: Credentials;
}
