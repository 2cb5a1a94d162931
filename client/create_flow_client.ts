import { makePendingInputs } from './pending_inputs.ts';
import { makeAutomating } from './automating.ts';
import { makeConnections } from './connections.ts';
import { connect, type ConnectionOptions, type SupabaseLike } from './connection.ts';
import type { FlowClient, FlowClientOptions } from './flow_client.ts';
import { makeDeploying } from './deploying.ts';
import { makeReading } from './reading.ts';
import { makeOpenStream, makeRequest } from './request.ts';
import { makeRunningNodes } from './running_nodes.ts';
import { makeSigning } from './signing.ts';
import { makeStarting } from './starting.ts';
import { makeWatching } from './watching.ts';

const RETRIES = 2;

/**
 * Makes a client. `source` is a supabase-js client, or the address and publishable key of a project. If it is a
 * supabase-js client, the flow client uses its session. Throws client_invalid.
 */
export function createFlowClient(
  source: SupabaseLike | (ConnectionOptions & FlowClientOptions),
  options?: FlowClientOptions,
): FlowClient {
  const connection = connect(source);
  const { retries = RETRIES } = options ?? ('url' in source ? source : {});
  const send = makeRequest(connection, retries);
  const watching = makeWatching(makeOpenStream(connection), retries);
  return {
    ...makeDeploying(send),
    ...makeStarting(send),
    ...makeRunningNodes(send),
    ...makeAutomating(send),
    ...makeConnections(send),
    ...makeReading(send, watching),
    ...watching,
    ...makeSigning(send),
    ...makePendingInputs(send),
  };
}
