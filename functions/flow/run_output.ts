import type { Context } from 'hono';
import {
  type EndedRun,
  flowRunPathSchema,
  type FlowRunResult,
  hasEnded,
  type WaitQuery,
} from '../../types/flow_run.ts';
import { apiError } from '../../platform/api_error.ts';
import { parse } from '../_shared/body.ts';
import { readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';

/**
 * `GET /flow/output/{flow_run_id}?wait=`: returns the bare output of a succeeded run. If runs have been queued for too
 * long, `pokeRunner` is called, because their poke may have been lost.
 */
export const makeRunOutput =
  ({ config, rpc }: Deps, waiter: RunWaiter<EndedRun>, pokeRunner: () => void) =>
  async (context: Context, { wait }: WaitQuery): Promise<Response> => {
    const { flow_run_id } = parse(flowRunPathSchema, context.req.param(), 'path');
    const { headers } = readCredentials(context.req.raw, config);
    const read = async (name: 'flow_run_result' | 'await_flow_run_result') => {
      const result = await rpc<FlowRunResult>(name, { flow_run_id }, headers);
      if (result.is_overdue) pokeRunner();
      return result;
    };

    let result: EndedRun | FlowRunResult = await read(wait > 0 ? 'await_flow_run_result' : 'flow_run_result');
    // A caller who may see the run at the beginning of the wait may see its end.
    if (!hasEnded(result.status) && wait > 0) {
      const { signal } = context.req.raw;
      const ended = await waiter.wait(flow_run_id, wait, signal);
      // If the caller has disconnected, nobody reads the answer, so no result is read.
      if (ended !== undefined || !signal.aborted) result = ended ?? await read('flow_run_result');
    }
    const { status, output, errors } = result;
    if (status === 'succeeded') return context.json(output);
    if (status === 'failed') {
      throw apiError('run_failed', 'The run has failed.', {
        details: { errors, output },
      });
    }
    if (status === 'stopped') {
      throw apiError('run_stopped', 'The run was stopped.', {
        details: { errors, output },
      });
    }
    return context.json({ status }, 202);
  };
