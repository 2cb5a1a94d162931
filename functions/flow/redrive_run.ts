import type { Context } from 'hono';
import type { StartResult } from '../../types/deployment.ts';
import { flowRunPathSchema, redriveParamsSchema, type RedriveQuery } from '../../types/flow_run.ts';
import { parse, readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/**
 * `POST /flow/redrive/{flow_run_id}?accept_unknown=`: redrives a run of the caller's flow as a new run, which continues
 * where the run failed or was stopped. `pokeRunner` is called after the new run is queued.
 */
export const makeRedriveRun =
  ({ config, rpc }: Deps, pokeRunner: (flowRunId: string) => void) =>
  async (context: Context, query: RedriveQuery): Promise<Response> => {
    const { flow_run_id } = parse(flowRunPathSchema, context.req.param(), 'path');
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const params = await readBody(context.req.raw, redriveParamsSchema);
    const idempotency_key = context.req.header('idempotency-key');
    const args = { flow_run_id, ...query, ...params, idempotency_key };
    const result = await rpc<StartResult>('redrive_flow_run', args, headers);
    pokeRunner(result.flow_run_id);
    return context.json(result);
  };
