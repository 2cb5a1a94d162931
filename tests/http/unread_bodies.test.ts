import { expect, it } from 'vitest';
import type { App } from '../../functions/_shared/app.ts';
import type { Platform } from '../../functions/_shared/edge_platform.ts';
import { makeDeploymentApp } from '../../functions/deployment/app.ts';
import { makeFlowApp } from '../../functions/flow/app.ts';
import { makeConnectionsApp } from '../../functions/connections/app.ts';
import { makeMcpApp } from '../../functions/mcp/app.ts';
import { makeNodesApp } from '../../functions/nodes/app.ts';
import { makeWalletsApp } from '../../functions/wallets/app.ts';

const environment: Record<string, string> = {
  SUPABASE_URL: 'http://project.example',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  WALLET_KEYS: JSON.stringify({ a: Buffer.alloc(32).toString('base64') }),
};

/** A platform whose database must not be called. */
const platform: Platform = {
  env: (name) => environment[name],
  fetch: () => Promise.reject(new Error('the database must not be called')),
  waitUntil: () => {},
};

const routes: [path: string, app: App][] = [
  ['/flow/deploy/1', makeFlowApp(platform)],
  ['/flow/start/1', makeFlowApp(platform)],
  ['/flow/stop/01930000-0000-7000-8000-000000000001', makeFlowApp(platform)],
  ['/deployment/start?flow=1', makeDeploymentApp(platform)],
  ['/mcp', makeMcpApp(platform)],
  ['/wallets/upsert', makeWalletsApp(platform)],
  ['/connections/upsert', makeConnectionsApp(platform)],
  ['/connections/test', makeConnectionsApp(platform)],
  ['/nodes/document', makeNodesApp(platform)],
];

const HOSTILE_BODY = JSON.stringify({ inputs: { a: { F: `${'1'.repeat(150_000)}x` } } });

async function post(app: App, path: string, authorization?: string) {
  const request = new Request(`http://project.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    body: HOSTILE_BODY,
  });
  const response = await app.fetch(request);
  return { status: response.status, code: (await response.json()).code, isBodyRead: request.bodyUsed };
}

it.each(routes)('POST %s reads no body of a caller without a credential', async (path, app) => {
  expect(await post(app, path)).toEqual({ status: 401, code: 'unauthenticated', isBodyRead: false });
  expect(await post(app, path, 'Bearer anon')).toEqual({ status: 401, code: 'unauthenticated', isBodyRead: false });
  expect(await post(app, path, 'Bearer nonsense')).toEqual({ status: 401, code: 'token_invalid', isBodyRead: false });
});

it('a float of 150,000 digits is refused with its path', async () => {
  const [, start] = routes.find(([path]) => path.startsWith('/deployment'))!;
  const answer = await post(start, '/deployment/start?flow=1', `Bearer ${'1'.repeat(31)}2`);
  expect(answer).toEqual({ status: 400, code: 'request_invalid', isBodyRead: true });
});
