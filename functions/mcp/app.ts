import { readPublicAddress } from '../../platform/public_address.ts';
import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { requestLimits } from '../../types/limits/requests.ts';
import { type App, makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeEventHub } from '../_shared/waiting/event_hub.ts';
import { lookForEnded, makeRunWaiter } from '../_shared/waiting/run_waiter.ts';
import { lookForEvents } from '../_shared/waiting/watched_events.ts';
import { makeAnswerMessage } from './answer_message.ts';
import { METADATA_PATH, resourceMetadata } from './resource_metadata.ts';

/** The function also exposes the header in which a browser's client finds where to get a token. */
const EXPOSED_HEADERS = 'retry-after, www-authenticate, mcp-protocol-version';

/** How long an answer waits for the run, in milliseconds. The platform ends a request after 150 s. */
const ROUND_MS = 1_000 * requestLimits.start_wait_seconds.value;

/** Makes the Edge Function `mcp`: it serves deployments as tools to assistants. */
export function makeMcpApp(platform: Platform, { roundMs = ROUND_MS }: { roundMs?: number } = {}): App {
  const deps = makeDeps(platform);
  const address = readPublicAddress('mcp', platform.env, deps.config.supabaseUrl);
  const look = lookForEvents(deps.serviceRpc);
  const consoleUrl = platform.env('CONSOLE_URL');
  const answer = makeAnswerMessage(deps, address, {
    pokeRunner: makeRunnerPoke(platform, deps.config),
    fetch: platform.fetch,
    ends: makeRunWaiter(lookForEnded(deps.serviceRead)),
    events: makeEventHub(look),
    look,
    consoleUrl: consoleUrl === undefined || consoleUrl === '' ? undefined : withoutTrailingSlashes(consoleUrl),
    roundMs,
  });
  const metadata = resourceMetadata(address);
  // Queries are not checked, because some clients add parameters to the address.
  const app = makeApp('mcp', [
    { method: 'GET', path: METADATA_PATH, query: 'any', handle: async (context) => context.json(metadata) },
    { method: 'POST', path: '/', query: 'any', handle: answer },
    { method: 'POST', path: '/d/:deployment_id', query: 'any', handle: answer },
    { method: 'POST', path: '/f/:flow_id/:tag', query: 'any', handle: answer },
  ]);
  return {
    ...app,
    fetch: async (request) => {
      const response = await app.fetch(request);
      response.headers.set('access-control-expose-headers', EXPOSED_HEADERS);
      return response;
    },
  };
}
