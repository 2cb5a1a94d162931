import { base64 } from '@scure/base';
import type { ConnectionTokens } from '../../platform/secrets/connection_secrets.ts';
import { isObject } from '../../types/values/value.ts';
import { type HttpClient, type HttpResponse, NodeError } from '../engine/node.ts';
import { answerError } from '../engine/failures/transient_answer.ts';
import type { OauthSecret } from './credential.ts';

/**
 * The time for which a token without `expires_in` counts as valid, in seconds. MAX_SECONDS is the longest such time of
 * any token.
 */
const DEFAULT_SECONDS = 600;
const MAX_SECONDS = 30 * 86_400;
/**
 * A token counts as expired this long before its end. A token with a short life counts as expired after half of its
 * time.
 */
const MARGIN_SECONDS = 30;

/** New tokens, and the seconds for which the access token is used. */
export interface NewTokens {
  tokens: ConnectionTokens;
  validSeconds: number;
}

/** Encodes a text like a form field. Source: RFC 6749, section 2.3.1. */
const formEncode = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);

function encodeRequest({ kind, secret }: OauthSecret, refreshToken: string | undefined) {
  const { client_id, client_secret, client_auth, scope } = secret;
  const form = new URLSearchParams(
    kind === 'oauth2_client_credentials'
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refreshToken ?? secret.refresh_token },
  );
  if (scope !== undefined) form.set('scope', scope);
  const headers: [string, string][] = [
    ['accept', 'application/json'],
    ['content-type', 'application/x-www-form-urlencoded'],
  ];
  if (client_secret !== undefined && client_auth === 'basic') {
    const pair = new TextEncoder().encode(`${formEncode(client_id)}:${formEncode(client_secret)}`);
    headers.push(['authorization', `Basic ${base64.encode(pair)}`]);
  } else {
    form.set('client_id', client_id);
    if (client_secret !== undefined) form.set('client_secret', client_secret);
  }
  return { headers, body: new TextEncoder().encode(form.toString()) };
}

function parseObject(body: Uint8Array): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Makes the error of a refusal. It quotes only the error code, because the rest may repeat a secret. */
function refusalOf(response: HttpResponse): NodeError {
  const { error } = parseObject(response.body);
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  const message = `the token server answered ${response.status}${code}`;
  return answerError(response, message);
}

const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

function secondsOf(expiresIn: unknown): number {
  const seconds = Number(expiresIn ?? DEFAULT_SECONDS);
  if (!(seconds > 0)) return 0;
  const bounded = Math.min(seconds, MAX_SECONDS);
  return Math.floor(bounded - Math.min(MARGIN_SECONDS, bounded / 2));
}

/**
 * Asks the token server for an access token. Source: RFC 6749, sections 4.4 and 6. If the answer has a refresh token,
 * this token replaces the refresh token that was used.
 */
export async function requestTokens(
  http: HttpClient,
  opened: OauthSecret,
  refreshToken: string | undefined,
  allowsHttp: boolean,
): Promise<NewTokens> {
  const { token_url } = opened.secret;
  if (!allowsHttp && new URL(token_url).protocol !== 'https:') throw new NodeError('token_url must be an https URL');
  const response = await http.request({
    method: 'POST',
    url: token_url,
    ...encodeRequest(opened, refreshToken),
    refusesRedirects: true,
    // The request goes on if the run ends, because its answer may replace the refresh token. Only the client's time
    // limit ends the request.
    signal: new AbortController().signal,
  });
  if (response.status < 200 || response.status > 299) throw refusalOf(response);
  const { access_token, token_type, expires_in, refresh_token } = parseObject(response.body);
  if (!isToken(access_token)) throw new NodeError('the answer of the token server has no access_token');
  if (token_type !== undefined && String(token_type).toLowerCase() !== 'bearer') {
    throw new NodeError('the answer of the token server has a token_type other than Bearer');
  }
  return {
    tokens: { access_token, refresh_token: isToken(refresh_token) ? refresh_token : refreshToken },
    validSeconds: secondsOf(expires_in),
  };
}
