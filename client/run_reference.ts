import type { RunReference } from './flow_client.ts';
import { type FlowRequest, inPlaceOfOwn, type RequestHeaders } from './request.ts';

/** A run's id and, where it is known, its token. */
export const readReference = (run: RunReference<object>): { id: string; token: string | undefined } =>
  typeof run === 'string' ? { id: run, token: undefined } : { id: run.flow_run_id, token: run.token };

/** The path of a run's route of the Edge Functions, and the run's token as credential: it is enough by itself. */
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
