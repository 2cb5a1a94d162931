import { base58 } from '@scure/base';
import { apiError } from './api_error.ts';
import type { Config } from './config.ts';

/** How a request's credentials reach the database, where they are checked: nobody is anybody here yet. */
export interface Credentials {
  /** Headers for PostgREST: an access token, an API key or a run token. */
  headers: Record<string, string>;
  /** The public key that a caller without any of these shows: a claim, no proof. */
  publicKey: string | undefined;
}

/** Three base64url parts: what an access token looks like. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
// To the end: a header that is no UTF-8 makes PostgREST answer 500.
const API_KEY = /^fk_[\w-]+$/;
const RUN_TOKEN = /^fr_[\w-]+$/;
/** 32 bytes have 32 to 44 base58 digits. */
const PUBLIC_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const isPublicKey = (text: string): boolean => PUBLIC_KEY.test(text) && base58.decode(text).length === 32;

/** The bearer token of a request; the word `Bearer` may be missing or in any case. Empty when there is none. */
const bearerToken = (request: Request): string =>
  request.headers.get('authorization')?.replace(/^\s*(bearer\s+)?/i, '')
    .trim() ?? '';

/**
 * The credentials of a request. Each is recognised by its form, in whichever header it stands; an access token beats an API key,
 * which beats a public key. A public key of the project itself is no credential, as supabase-js sends it when nobody is
 * signed in. Throws token_invalid for what has none of the forms.
 */
export function readCredentials(request: Request, config: Config): Credentials {
  const shown = [
    bearerToken(request),
    request.headers.get('x-api-key')?.trim() ?? '',
    request.headers.get('x-flow-run-token')?.trim() ?? '',
  ]
    .filter((text) => text !== '' && !config.publicKeys.includes(text));
  const find = (hasForm: (text: string) => boolean) => shown.find(hasForm);
  const jwt = find((text) => JWT.test(text));
  const apiKey = find((text) => API_KEY.test(text));
  const runToken = find((text) => RUN_TOKEN.test(text));
  const publicKey = find(isPublicKey);
  if (
    shown.length > 0 &&
    [jwt, apiKey, runToken, publicKey].every((found) => found === undefined)
  ) {
    if (isAmong(shown, config.secretKeys)) {
      // As private.refuse_service_role, which a key that is a JWT gets to.
      throw apiError('token_invalid', "The service role can't do this: it needs a user.", {
        hint: 'Send the access token of the user on whose behalf you call.',
      });
    }
    throw apiError(
      'token_invalid',
      'The credential is neither an access token, an API key, a run token nor a public key.',
    );
  }
  return {
    headers: {
      ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
      ...(jwt === undefined && apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(runToken !== undefined && { 'x-flow-run-token': runToken }),
    },
    publicKey,
  };
}

/**
 * As `readCredentials`, where a caller who shows nothing gets no further: throws unauthenticated, as private.unauthenticated does.
 * Asked before a body is read, so that only what looks like somebody costs more than its headers.
 */
export function requireCredentials(
  request: Request,
  config: Config,
  accepted: 'user' | 'user or public key',
): Credentials {
  const credentials = readCredentials(request, config);
  const hasPublicKey = accepted === 'user or public key' && credentials.publicKey !== undefined;
  if (Object.keys(credentials.headers).length === 0 && !hasPublicKey) {
    throw apiError('unauthenticated', 'The request carries no credential that this call accepts.', {
      hint: 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). ' +
        'A run token is enough for its own run, a public key only for a start.',
    });
  }
  return credentials;
}

/** Whether two texts are equal, in a time that depends on their lengths only. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

/** Whether one of the texts is one of the keys; asks all of them, so that the time says nothing of which it was. */
const isAmong = (texts: readonly string[], keys: readonly string[]): boolean =>
  texts.flatMap((text) => keys.map((key) => isEqual(text, key))).includes(true);

/** Whether the request shows a key that acts as service role, as bearer token or as `apikey`. */
export function isSecretKey(request: Request, config: Config): boolean {
  return isAmong([bearerToken(request), request.headers.get('apikey') ?? ''], config.secretKeys);
}
