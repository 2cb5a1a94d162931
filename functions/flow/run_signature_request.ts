import type { Context } from 'hono';
import { flowRunPathSchema, type WaitQuery } from '../../types/flow_run.ts';
import type { PendingSignatureResult } from '../../types/signature_request.ts';
import { parse } from '../_shared/body.ts';
import { readCredentials } from '../_shared/credentials.ts';
import { isErrorOf } from '../../platform/api_error.ts';
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

    const readOrWait = async () => {
      const request = await read();
      if (request !== null || wait === 0) return request;
      const { signal } = context.req.raw;
      await waiter.wait(flow_run_id, wait, signal);
      // If the caller has disconnected, nobody reads the answer, so no request is read.
      return signal.aborted ? null : await read();
    };
    try {
      const request = await readOrWait();
      return request === null ? context.body(null, 204) : context.json(request);
    } catch (error) {
      if (!isErrorOf(error, 'signature_request_not_found')) throw error;
      // The run has ended. Clients of the reference recognise this text, and stop asking.
      return context.json({ ...error.toBody(), error: 'not found' }, 404);
    }
  };
