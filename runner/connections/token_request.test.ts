import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { makeHttpClient } from '../reach/http_client.ts';
import type { OauthSecret } from './credential.ts';
import { requestTokens } from './token_request.ts';

let server: Server;
let base: string;
const received: { headers: IncomingMessage['headers']; form: { [name: string]: string } }[] = [];

/** Answers with the query parameters `status` and `body`. If the query has `silent`, there is no answer. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ headers: request.headers, form: Object.fromEntries(new URLSearchParams(body)) });
    const { searchParams } = new URL(request.url!, 'http://localhost');
    if (searchParams.has('silent')) return;
    response.writeHead(Number(searchParams.get('status') ?? 200), { location: '/elsewhere' });
    response.end(searchParams.get('body') ?? '{"access_token": "new-access-token", "token_type": "bearer"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });
const client = { client_id: 'the client', client_secret: 's3cret: %&+ä', client_auth: 'basic' as const };
const credentials = (query = '', changes: object = {}): OauthSecret => ({
  kind: 'oauth2_client_credentials',
  secret: { ...client, token_url: `${base}/token${query}`, ...changes },
});
const answering = (answer: object | string, status = 200) =>
  credentials(`?${new URLSearchParams({
    status: String(status),
    body: typeof answer === 'string' ? answer : JSON.stringify(answer),
  })}`);
const ask = (opened: OauthSecret, refreshToken?: string, given = http) =>
  requestTokens(given, opened, refreshToken, true);

describe('a request for an access token', () => {
  it('shows the secret of the client by Basic authentication, encoded as RFC 6749 says', async () => {
    await ask(credentials('', { scope: 'read write' }));
    const { headers, form } = received.at(-1)!;
    expect(Buffer.from(headers.authorization!.slice('Basic '.length), 'base64').toString()).toBe(
      'the+client:s3cret%3A+%25%26%2B%C3%A4',
    );
    expect(form).toEqual({ grant_type: 'client_credentials', scope: 'read write' });
  });

  it('shows it in the body if the connection says so', async () => {
    await ask(credentials('', { client_auth: 'post' }));
    const { headers, form } = received.at(-1)!;
    expect(headers.authorization).toBeUndefined();
    expect(form).toEqual({ grant_type: 'client_credentials', client_id: 'the client', client_secret: 's3cret: %&+ä' });
  });

  it('sends the newest refresh token, also for a client without a secret', async () => {
    const opened: OauthSecret = {
      kind: 'oauth2_refresh_token',
      secret: { client_id: 'public', client_auth: 'basic', token_url: `${base}/token`, refresh_token: 'the-first' },
    };
    expect((await ask(opened)).tokens.refresh_token).toBeUndefined();
    expect(received.at(-1)!.form).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'the-first',
      client_id: 'public',
    });
    expect((await ask(opened, 'the-second')).tokens.refresh_token).toBe('the-second');
    expect(received.at(-1)!.form['refresh_token']).toBe('the-second');
  });

  it.each<[unknown, number]>([
    [3_600, 3_570],
    ['3600', 3_570],
    [20, 10],
    [undefined, 570],
    [1e12, 30 * 86_400 - 30],
    [0, 0],
    [-5, 0],
    ['soon', 0],
  ])('uses a token that expires in %j s for %i s', async (expires_in, validSeconds) => {
    const made = await ask(answering({ access_token: 'new-access-token', expires_in, refresh_token: 'rotated' }));
    expect(made).toEqual({ tokens: { access_token: 'new-access-token', refresh_token: 'rotated' }, validSeconds });
  });

  it.each<[string, object | string, number, string, boolean]>([
    [
      'a refusal',
      { error: 'invalid_grant', error_description: client.client_secret },
      400,
      'answered 400 (invalid_grant)',
      false,
    ],
    ['a refusal with a strange code', { error: client.client_secret }, 401, 'answered 401', false],
    ['a failure', 'oops', 503, 'answered 503', true],
    ['too many requests', '', 429, 'answered 429', true],
    ['a redirect', '', 302, 'answered 302', false],
    ['no JSON', '<html>', 200, 'has no access_token', false],
    ['a list', '[]', 200, 'has no access_token', false],
    ['a token with a line break', { access_token: 'a\r\nb: c' }, 200, 'has no access_token', false],
    ['another type of token', { access_token: 'abc', token_type: 'DPoP' }, 200, 'other than Bearer', false],
  ])('fails with a clear error after %s', async (_what, answer, status, message, isTransient) => {
    const error: Error = await ask(answering(answer, status)).then(() => expect.unreachable(), (e) => e);
    expect(error.message.endsWith(message), error.message).toBe(true);
    expect(error instanceof TransientError).toBe(isTransient);
  });

  it('ends if the server does not answer in time', async () => {
    const impatient = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true, timeoutMs: 50 });
    await expect(ask(credentials('?silent'), undefined, impatient)).rejects.toThrow('took longer than 0.05 s');
  });

  it('needs https', async () => {
    await expect(requestTokens(http, credentials(), undefined, false)).rejects.toThrow('must be an https URL');
  });
});
