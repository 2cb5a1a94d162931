import type { Context } from 'hono';
import { ACTION_VERSION } from '../../types/action.ts';
import { type App, makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeActionsJson } from './actions_json.ts';
import { allBlockchainIds } from './blockchains.ts';
import { makeChainLookup } from './chain_lookup.ts';
import { makeGetAction } from './get_action.ts';
import { serveIcon } from './icon.ts';
import { makeRequestKey } from './idempotency.ts';
import { makePostAction } from './post_action.ts';
import { readPublicAddress } from '../../platform/public_address.ts';
import { makeOutputReader } from './run_output.ts';
import { makeSentAction } from './sent_action.ts';

/** The time for which an action waits for its transaction. The transaction's blockhash is valid for about a minute. */
const WAIT_SECONDS = 25;
/** The time for which a sent transaction is looked for. */
const LOOKUP_MS = 15_000;

/**
 * Headers that wallets need on every answer. Source: Solana Actions specification, "OPTIONS response"; sRFC 29 for the
 * version and the chain.
 */
const ACTION_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET,POST,PUT,OPTIONS',
  'access-control-expose-headers': 'x-action-version, x-blockchain-ids, retry-after',
  'x-action-version': ACTION_VERSION,
};
const ALLOWED_HEADERS =
  'Content-Type, Authorization, Content-Encoding, Accept-Encoding, X-Accept-Action-Version, X-Accept-Blockchain-Ids';

/** Makes the Edge Function `action`: it serves deployments as Solana Actions to any wallet. */
export function makeActionApp(platform: Platform): App {
  const deps = makeDeps(platform);
  const { config } = deps;
  const address = readPublicAddress('action', platform.env, config.supabaseUrl);
  const pathOf = (context: Context): string => address.path + context.req.path.slice('/action'.length);
  const lookUp = makeChainLookup({
    allowPrivateNetwork: platform.env('ALLOW_PRIVATE_NETWORK') === '1',
    timeoutMs: LOOKUP_MS,
  });
  const get = makeGetAction(deps, address, pathOf);
  const post = makePostAction(deps, {
    address,
    pokeRunner: makeRunnerPoke(platform, config),
    readOutput: makeOutputReader(platform, config, WAIT_SECONDS),
    makeKey: makeRequestKey(config.secretKey, Date.now),
  });
  const app = makeApp('action', [
    // Queries are not checked, because wallets and sites that share links add parameters of their own. Routes with a
    // fixed name come first, because a route with a deployment's id would also match the name.
    { method: 'GET', path: '/actions.json', query: 'any', handle: makeActionsJson(address) },
    { method: 'GET', path: '/icon.svg', query: 'any', handle: serveIcon },
    { method: 'POST', path: '/sent', query: 'any', handle: makeSentAction(deps, lookUp, address) },
    { method: 'GET', path: '/:deployment_id', query: 'any', handle: get },
    { method: 'POST', path: '/:deployment_id', query: 'any', handle: post },
    { method: 'GET', path: '/:flow_id/:tag', query: 'any', handle: get },
    { method: 'POST', path: '/:flow_id/:tag', query: 'any', handle: post },
  ]);
  return {
    ...app,
    fetch: async (request) => {
      const response = await app.fetch(request);
      for (const [name, value] of Object.entries(ACTION_HEADERS)) response.headers.set(name, value);
      // A page may also send any other header, because the function reads no credentials from headers. A preflight's
      // answer names all chains, because it does not depend on the deployment.
      const asked = response.headers.get('access-control-allow-headers');
      response.headers.set(
        'access-control-allow-headers',
        asked === null ? ALLOWED_HEADERS : `${ALLOWED_HEADERS}, ${asked}`,
      );
      if (request.method === 'OPTIONS') response.headers.set('x-blockchain-ids', allBlockchainIds);
      return response;
    },
  };
}
