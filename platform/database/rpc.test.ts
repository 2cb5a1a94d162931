import { expect, it } from 'vitest';
import { ApiError } from '../api_error.ts';
import { makeRpc } from './rpc.ts';

/** Returns the error of a call with this answer. */
async function errorOf(status: number, body: string, headers: Record<string, string> = {}): Promise<ApiError> {
  const rpc = makeRpc({
    restUrl: 'http://127.0.0.1:1',
    apikey: 'key',
    fetch: async () => new Response(body, { status, headers }),
  });
  const error = await rpc('start_deployment', {}).then(() => undefined, (reason) => reason);
  expect(error).toBeInstanceOf(ApiError);
  return error;
}

// The answers of PostgREST 12.0.2 and of gateways during a restart of PostgREST, or of Postgres in immediate mode.
it.each([
  ['the connection was lost in a statement', 400, '{"code":"","details":null,"hint":null,"message":""}'],
  [
    'there was no connection',
    503,
    '{"code":"PGRST001","details":"no connection to the server\\n","hint":null,"message":""}',
  ],
  ['the connection is refused', 503, '{"code":"PGRST000","details":"Connection refused","hint":null,"message":""}'],
  ['the schema is not loaded', 503, '{"code":"PGRST002","details":null,"hint":null,"message":""}'],
  ['no connection of the pool became free', 504, '{"code":"PGRST003","details":null,"hint":null,"message":""}'],
  ['the server is shutting down', 500, '{"code":"57P02","details":null,"hint":null,"message":""}'],
  ['the gateway does not reach PostgREST', 503, '{"code":"service_unavailable","message":"PostgREST does not answer"}'],
  ['another gateway answers HTML', 502, '<html>Bad gateway</html>'],
  ['another gateway answers JSON', 502, '{"message":"An invalid response was received from the upstream server"}'],
  ['a gateway answers without a body', 503, ''],
  ['another gateway limits the rate', 429, '{"message":"API rate limit exceeded"}'],
  ['another gateway limits the rate in HTML', 429, '<html>Too many requests</html>'],
  [
    'a statement took too long',
    500,
    '{"code":"57014","details":null,"hint":null,"message":"canceling statement due to statement timeout"}',
  ],
  [
    'a lock was not available in time',
    500,
    '{"code":"55P03","details":null,"hint":null,"message":"canceling statement due to lock timeout"}',
  ],
])('when %s the caller gets service_unavailable with Retry-After', async (_why, status, body) => {
  const error = await errorOf(status, body);
  expect([error.status, error.headers, error.toBody()]).toEqual([503, { 'retry-after': '1' }, {
    code: 'service_unavailable',
    message: 'The database does not answer right now.',
    details: null,
    hint: null,
    error: 'The database does not answer right now.',
  }]);
});

it.each([
  [429, '{"code":"too_many_requests","message":"Too many."}', 429, 'too_many_requests'],
  [409, '{"code":"claim_lost","message":"over","details":null,"hint":null}', 409, 'claim_lost'],
  [401, '{"message":"Invalid API key","hint":"Send one."}', 401, 'token_invalid'],
  [400, '{"code":"22P02","details":null,"hint":null,"message":"invalid"}', 400, 'request_invalid'],
  [401, '', 401, 'token_invalid'],
  [500, '', 500, 'internal'],
  [500, '{"code":"XX000","details":null,"hint":null,"message":"broken"}', 500, 'internal'],
])('maps the lasting error %i %s without Retry-After', async (status, body, expectedStatus, code) => {
  const error = await errorOf(status, body);
  expect([error.status, error.code, error.headers]).toEqual([expectedStatus, code, {}]);
});
