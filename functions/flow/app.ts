import { strictQuerySchema } from '../../types/deployment.ts';
import { redriveQuerySchema, waitSchema } from '../../types/flow_run.ts';
import { makeApp, withQuery } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeAnswerInput } from './answer_input.ts';
import { makeDeployFlow } from './deploy_flow.ts';
import { makeEventHub } from '../_shared/waiting/event_hub.ts';
import { makeRunEvents } from './run_events.ts';
import { makeRunOutput } from './run_output.ts';
import { makeRedriveRun } from './redrive_run.ts';
import { lookForEnded, lookForSignatureRequests, makeRunWaiter } from '../_shared/waiting/run_waiter.ts';
import { makeRunSignatureRequest } from './run_signature_request.ts';
import { makeStartFlow } from './start_flow.ts';
import { makeStopRun } from './stop_run.ts';
import { lookForEvents } from '../_shared/waiting/watched_events.ts';
import { makeWatcherSlots } from './watcher_slots.ts';

/** Makes the Edge Function `flow`. */
export function makeFlowApp(platform: Platform) {
  const deps = makeDeps(platform);
  const poke = makeRunnerPoke(platform, deps.config);
  const ends = makeRunWaiter(lookForEnded(deps.serviceRead));
  const signatureRequests = makeRunWaiter(lookForSignatureRequests(deps.serviceRpc));
  const events = makeEventHub(lookForEvents(deps.serviceRpc));
  const answers = makeAnswerInput(deps, poke);
  return makeApp('flow', [
    withQuery({
      method: 'POST',
      path: '/deploy/:flow_id',
      query: strictQuerySchema,
      handle: makeDeployFlow(deps, platform),
    }),
    withQuery({
      method: 'POST',
      path: '/start/:flow_id',
      query: strictQuerySchema,
      handle: makeStartFlow(deps, poke, ends),
    }),
    withQuery({
      method: 'GET',
      path: '/output/:flow_run_id',
      query: waitSchema,
      handle: makeRunOutput(deps, ends, poke),
    }),
    withQuery({
      method: 'GET',
      path: '/signature_request/:flow_run_id',
      query: waitSchema,
      handle: makeRunSignatureRequest(deps, signatureRequests, poke),
    }),
    {
      method: 'GET',
      path: '/events/:flow_run_id',
      handle: makeRunEvents(deps, events, makeWatcherSlots(), poke),
    },
    { method: 'POST', path: '/stop/:flow_run_id', handle: makeStopRun(deps, poke) },
    { method: 'POST', path: '/submit/:token', handle: answers.submit },
    { method: 'DELETE', path: '/submit/:token', handle: answers.cancel },
    withQuery({
      method: 'POST',
      path: '/redrive/:flow_run_id',
      query: redriveQuerySchema,
      handle: makeRedriveRun(deps, poke),
    }),
  ]);
}
