import { readPublicAddress } from '../../platform/public_address.ts';
import { type App, makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { lookForEnded, makeRunWaiter } from '../_shared/waiting/run_waiter.ts';
import { makeAnswerMessage } from './answer_message.ts';
import { METADATA_PATH, resourceMetadata } from './resource_metadata.ts';

/** The function also exposes the header in which a browser's client finds where to get a token. */
const EXPOSED_HEADERS = 'retry-after, www-authenticate, mcp-protocol-version';

/** Makes the Edge Function `mcp`: it serves deployments as tools to assistants. */
export function makeMcpApp(platform: Platform): App {
  const deps = makeDeps(platform);
  const address = readPublicAddress('mcp', platform.env, deps.config.supabaseUrl);
  const answer = makeAnswerMessage(deps, address, {
    pokeRunner: makeRunnerPoke(platform, deps.config),
    ends: makeRunWaiter(lookForEnded(deps.serviceRead)),
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
