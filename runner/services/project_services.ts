import { runLimits } from '../../types/limits/runs.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import type { NodeServices } from '../engine/node.ts';
import type { Claim } from '../queue/claim/claims.ts';
import { makeKvStores } from '../reach/kv_stores.ts';
import { makeOwnerTurns } from '../reach/owner_turns.ts';
import { makeProjectApi, readProjectAddress } from '../reach/project_api.ts';
import type { RunnerSettings } from '../settings.ts';
import { makeCheckFileQuota } from '../storage/file_quota.ts';
import { makeOwnerFiles } from '../storage/owner_files.ts';
import type { RunHttpClients } from './http_clients.ts';

interface ProjectServicesOptions {
  rpc: Rpc;
  settings: RunnerSettings;
  env: (name: string) => string | undefined;
}

/** Makes the function that makes the services by which a run reaches the data of its owner in this project. */
export function makeProjectServices({ rpc, settings, env }: ProjectServicesOptions) {
  const address = readProjectAddress(env);
  const takeProjectTurns = makeOwnerTurns(runLimits.project_requests.value);
  return (claim: Claim, { projectHttp }: RunHttpClients): Pick<NodeServices, 'project' | 'kv' | 'files'> => ({
    project: makeProjectApi({
      rpc,
      claim,
      address,
      http: takeProjectTurns(claim.user_id, projectHttp),
      now: () => performance.now(),
    }),
    kv: makeKvStores(rpc, claim),
    files: makeOwnerFiles({
      ownerId: claim.user_id,
      sharedBuckets: settings.sharedBuckets,
      http: projectHttp,
      env,
      checkQuota: makeCheckFileQuota(rpc, claim.user_id),
    }),
  });
}
