import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeRpc, type Rpc } from '../../platform/database/rpc.ts';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { makeConnectionsApp } from '../../functions/connections/app.ts';
import { openStoredConnection, type StoredConnection } from '../../runner/connections/open_connection.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { HTTP_LIMITS } from '../support/http_limits.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';

const CLIENT = { client_id: 'the-client', client_secret: 'secret-of-the-client' };
const WALLET_KEYS = JSON.stringify({ test: Buffer.alloc(32, 7).toString('base64') });
let owner: Person;
let server: Server;
let base: string;
let provider: Provider;
let rpc: Rpc;
/** Grant types of the requests to the token server. */
let asked: string[] = [];
/** Called with each request. If it returns true, it has answered the request, and the provider must not answer. */
let intercept: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => false;

/** Starts a server that returns the header authorization at /api. At all other paths it is an OpenID provider. */
beforeAll(async () => {
  owner = await signUp();
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = new Provider(base, {
    clients: [{
      ...CLIENT,
      grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
      redirect_uris: ['https://client.example.com/back'],
      id_token_signed_response_alg: 'ES256',
    }],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    rotateRefreshToken: true,
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as never] },
    cookies: { keys: ['a key of this test'] },
    ttl: { AccessToken: 600, ClientCredentials: 600, Grant: 6_000, IdToken: 600, RefreshToken: 6_000 },
  });
  const handle = provider.callback();
  server.on('request', async (request, response) => {
    if (request.url!.startsWith('/api')) return void response.end(request.headers.authorization);
    asked.push(request.url!);
    if (!await intercept(request, response)) await handle(request, response);
  });
  const { API_URL, SECRET_KEY } = inject('stack');
  rpc = makeRpc({ restUrl: `${API_URL}/rest/v1`, apikey: SECRET_KEY, authorization: `Bearer ${SECRET_KEY}`, fetch });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const paramsOf = (name: string, kind: string, secret: object) => ({
  name,
  kind,
  hosts: [`${base.slice(7)}/api`],
  secret: { token_url: `${base}/token`, ...CLIENT, ...secret },
});

/** Stores a connection with the keys of this test. */
async function store(params: { name: string }): Promise<void> {
  const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
  const env: Record<string, string> = {
    SUPABASE_URL: API_URL,
    SUPABASE_ANON_KEY: PUBLISHABLE_KEY,
    SUPABASE_SERVICE_ROLE_KEY: SECRET_KEY,
    WALLET_KEYS,
  };
  const app = makeConnectionsApp({ env: (name) => env[name], fetch, waitUntil: () => {} });
  const response = await app.fetch(
    new Request('http://localhost/connections/upsert', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    }),
  );
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ name: params.name })]);
  asked = [];
  intercept = () => false;
}

/** Makes the services that one worker has. */
const worker = () => ({
  rpc,
  readKeys: () => readWalletKeys(() => WALLET_KEYS),
  tokenHttp: makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true }),
  allowsHttp: true,
});

/** Opens the connection as a worker does. Returns the credential, and the header that it adds to requests. */
async function open(name: string, services = worker()) {
  const read = () => rpc<StoredConnection>('read_connection_secret', { user_id: owner.id, name });
  const credential = await openStoredConnection(read, services, new AbortController().signal);
  const { headers } = credential.add({ url: new URL(`${base}/api`), headers: new Headers() });
  return { credential, header: headers.get('authorization')! };
}

const expireTokens = () =>
  asSuperuser((sql) =>
    sql`update private.connection_tokens as t set expires_at = now(), failed_until = null, leased_until = null
      from public.connections as c where c.id = t.connection_id and c.user_id = ${owner.id} and t.expires_at is not null`
  );

/** Makes a refresh token as the provider does after a person has allowed the client to act. */
async function grantRefreshToken(): Promise<string> {
  const client = (await provider.Client.find(CLIENT.client_id))!;
  const grant = new provider.Grant({ accountId: 'a-person', clientId: CLIENT.client_id });
  grant.addOIDCScope('openid offline_access');
  const token = new provider.RefreshToken({
    accountId: 'a-person',
    client,
    grantId: await grant.save(),
    scope: 'openid offline_access',
    gty: 'authorization_code',
    expiresWithSession: false,
  } as never);
  return await token.save();
}

describe('a connection of kind oauth2_client_credentials', () => {
  it('gets one token for many workers at once, and another one when it has expired', async () => {
    await store(paramsOf('machine', 'oauth2_client_credentials', {}));
    const opened = await Promise.all(Array.from({ length: 6 }, () => open('machine')));
    const headers = new Set(opened.map(({ header }) => header));
    expect([headers.size, asked]).toEqual([1, ['/token']]);
    const token = await provider.ClientCredentials.find([...headers][0]!.slice('Bearer '.length));
    expect(token?.clientId).toBe(CLIENT.client_id);
    await expireTokens();
    const again = await Promise.all(Array.from({ length: 3 }, () => open('machine')));
    expect([new Set(again.map(({ header }) => header)).size, asked.length]).toEqual([1, 2]);
    expect(headers.has(again[0]!.header)).toBe(false);
  });

  it('gets a new token after a server has refused the former one', async () => {
    await store(paramsOf('refused', 'oauth2_client_credentials', {}));
    const first = await open('refused');
    await first.credential.refused!();
    const second = await open('refused');
    expect(second.header).not.toBe(first.header);
    // A server may refuse the first token when the second token is already in use. This refusal has no effect on the
    // second token.
    await first.credential.refused!();
    expect((await open('refused')).header).toBe(second.header);
  });

  it('uses a new secret from the next request on', async () => {
    await store(paramsOf('rotated', 'oauth2_client_credentials', {}));
    await open('rotated');
    await store(paramsOf('rotated', 'oauth2_client_credentials', { client_secret: 'wrong-secret' }));
    await expect(open('rotated')).rejects.toThrow(
      'connection_token_failed: the token server answered 401 (invalid_client)',
    );
    // For a while, all other callers get the stored failure without another request.
    await expect(open('rotated')).rejects.toThrow('(invalid_client)');
    expect(asked).toHaveLength(1);
  });

  it('is waited for while the server is slow, and not asked twice', async () => {
    await store(paramsOf('slow', 'oauth2_client_credentials', {}));
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      intercept = async () => {
        resolve();
        await new Promise<void>((go) => answer = go);
        return false;
      };
    });
    const first = open('slow');
    await isAsked;
    const second = open('slow');
    answer();
    expect((await first).header).toBe((await second).header);
    expect(asked).toHaveLength(1);
  });

  it('drops the token of a secret that was replaced meanwhile', async () => {
    await store(paramsOf('replaced', 'oauth2_client_credentials', {}));
    let isReplaced = false;
    intercept = async () => {
      if (isReplaced) return false;
      isReplaced = true;
      await store(paramsOf('replaced', 'oauth2_client_credentials', { client_secret: 'wrong-secret' }));
      return false;
    };
    // The token of the old secret is not used. The new secret is tried, and refused.
    await expect(open('replaced')).rejects.toThrow('(invalid_client)');
  });

  it('sends its token in a run', async () => {
    const response = await call('connections/upsert', {
      token: owner.token,
      body: JSON.stringify(paramsOf('run', 'oauth2_client_credentials', {})),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    const flow = new FlowBuilder();
    const form = { url: `${base}/api`, connection: 'run' };
    flow.output(
      'body',
      flow.node('http_request', { inputs: ['url'], outputs: ['body', 'headers'], form }).output('body'),
    );
    const { flow_run_id } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
    const run = await finishedRun(owner, flow_run_id);
    const body = { BY: Buffer.from('Bearer [redacted]').toString('base64') };
    expect([run.errors, run.output]).toEqual([null, { M: { body } }]);
  });
});

describe('a connection of kind oauth2_refresh_token', () => {
  it('uses each refresh token once, and keeps the one that replaces it', async () => {
    await store(paramsOf('person', 'oauth2_refresh_token', { refresh_token: await grantRefreshToken() }));
    const headers: string[] = [];
    for (let round = 0; round < 3; round++) {
      const opened = await Promise.all([open('person'), open('person')]);
      expect(opened[0].header).toBe(opened[1].header);
      headers.push(opened[0].header);
      await expireTokens();
    }
    // The provider revokes the grant if a refresh token is used twice.
    expect([new Set(headers).size, asked.length]).toEqual([3, 3]);
  });
});
