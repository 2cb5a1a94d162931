import type { RunReference } from '../flow_client.ts';
import { type FlowRequest, inPlaceOfOwn, type RequestHeaders } from '../requests/request.ts';

/** Returns a run's id, and the run's token if it is known. */
export const readReference = (run: RunReference<object>): { id: string; token: string | undefined } =>
  typeof run === 'string' ? { id: run, token: undefined } : { id: run.flow_run_id, token: run.token };

/**
 * Makes the path and headers of a request for a run. If the run's token is known, it replaces the client's own
 * credential.
 */
export function runRoute(
  route: 'events' | 'output' | 'stop' | 'signature_request',
  run: RunReference<object>,
  query = '',
): Pick<FlowRequest, 'path'> & { headers: RequestHeaders } {
  const { id, token } = readReference(run);
  return {
    path: `/functions/v1/flow/${route}/${encodeURIComponent(id)}${query}`,
    headers: token === undefined ? {} : inPlaceOfOwn(token),
  };
}
