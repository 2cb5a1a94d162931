import { makePendingInputs } from './methods/pending_inputs.ts';
import { makeAutomating } from './methods/automating.ts';
import { makeConnections } from './methods/connections.ts';
import { connect, type ConnectionOptions, type SupabaseLike } from './requests/connection.ts';
import type { FlowClient, FlowClientOptions } from './flow_client.ts';
import { makeDefining } from './methods/defining.ts';
import { makeDeploying } from './methods/deploying.ts';
import { makeFlowFiles } from './methods/flow_files.ts';
import { makeReading } from './methods/reading.ts';
import { makeOpenStream, makeRequest } from './requests/request.ts';
import { makeRunningNodes } from './methods/running_nodes.ts';
import { makeSigning } from './methods/signing.ts';
import { makeStarting } from './methods/starting.ts';
import { makeWatching } from './methods/watching.ts';

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
    ...makeFlowFiles(send),
    ...makeStarting(send),
    ...makeRunningNodes(send),
    ...makeAutomating(send),
    ...makeConnections(send),
    ...makeDefining(send),
    ...makeReading(send, watching),
    ...watching,
    ...makeSigning(send),
    ...makePendingInputs(send),
  };
}
