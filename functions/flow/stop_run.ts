import type { Context } from 'hono';
import { flowRunPathSchema, stopFlowParamsSchema, type StopFlowResult } from '../../types/flow_run.ts';
import { parse, readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/**
 * `POST /flow/stop/{flow_run_id}`: asks a run to stop. A waiting run stops only when a worker claims it, so
 * `pokeRunner` is called after the request is stored.
 */
export const makeStopRun =
  ({ config, rpc }: Deps, pokeRunner: (flowRunId: string) => void) => async (context: Context): Promise<Response> => {
    const { flow_run_id } = parse(flowRunPathSchema, context.req.param(), 'path');
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const params = await readBody(context.req.raw, stopFlowParamsSchema);
    await rpc('stop_flow_run', { flow_run_id, ...params }, headers);
    pokeRunner(flow_run_id);
    const result: StopFlowResult = { success: true };
    return context.json(result);
  };
