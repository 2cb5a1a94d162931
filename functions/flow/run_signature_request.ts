import type { Context } from 'hono';
import { flowRunPathSchema, type WaitQuery } from '../../types/flow_run.ts';
import type { PendingSignatureResult } from '../../types/signature_request.ts';
import { parse } from '../_shared/body.ts';
import { readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';

/**
 * `GET /flow/signature_request/{flow_run_id}?wait=`: returns the oldest open signature request of the run or of a run
 * that it called. If runs have been queued for too long, `pokeRunner` is called, because their poke may have been lost.
 */
export const makeRunSignatureRequest =
  ({ config, rpc }: Deps, waiter: RunWaiter<true>, pokeRunner: () => void) =>
  async (context: Context, { wait }: WaitQuery): Promise<Response> => {
    const { flow_run_id } = parse(flowRunPathSchema, context.req.param(), 'path');
    const { headers } = readCredentials(context.req.raw, config);
    const read = async () => {
      const result = await rpc<PendingSignatureResult>('pending_signature_request', { flow_run_id }, headers);
      if (result.is_overdue) pokeRunner();
      return result.request;
    };

    let request = await read();
    if (request === null && wait > 0) {
      const { signal } = context.req.raw;
      await waiter.wait(flow_run_id, wait, signal);
      // If the caller has disconnected, nobody reads the answer, so no request is read.
      if (!signal.aborted) request = await read();
    }
    return request === null ? context.body(null, 204) : context.json(request);
  };
