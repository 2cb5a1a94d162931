import { base58 } from '@scure/base';
import { apiError } from '../../platform/api_error.ts';
import type { Config } from '../../platform/config.ts';

/** The credentials of a request, in the form in which the database reads them. Only the database verifies them. */
export interface Credentials {
  /** Headers for PostgREST: an access token, an API key or a run token. */
  headers: Record<string, string>;
  /** The public key of a caller who shows no other credential. It names the caller and proves nothing. */
  publicKey: string | undefined;
}

/** Three base64url parts: the form of an access token. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
// The pattern covers the whole text, because PostgREST answers 500 to a header that is not UTF-8.
const API_KEY = /^fk_[\w-]+$/;
const RUN_TOKEN = /^fr_[\w-]+$/;
/** 32 bytes have 32 to 44 base58 digits. */
const PUBLIC_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const isPublicKey = (text: string): boolean => PUBLIC_KEY.test(text) && base58.decode(text).length === 32;

/**
 * Reads the bearer token of a request; the word `Bearer` may be missing or in any case. Returns an empty text for a
 * request without a token.
 */
const bearerToken = (request: Request): string =>
  request.headers.get('authorization')?.replace(/^\s*(bearer\s+)?/i, '')
    .trim() ?? '';

/**
 * Makes the message for a credential without a known form. The message names the kind that the credential resembles and
 * the expected form. It never repeats the credential.
 */
function describeMalformed(text: string): string {
  if (text.startsWith('eyJ')) {
    return 'The access token is malformed: it must be three parts of base64url with dots between them, and may be cut off.';
  }
  if (text.startsWith('fk_')) return 'The API key is malformed: after fk_ it must have letters, digits, - and _ only.';
  if (text.startsWith('fr_')) {
    return 'The run token is malformed: after fr_ it must have letters, digits, - and _ only.';
  }
  if (PUBLIC_KEY.test(text)) return 'The public key is malformed: it must be base58 of 32 bytes.';
  return 'The credential is neither an access token, an API key, a run token nor a public key.';
}

/**
 * Reads the credentials of a request. Recognises each credential by its form, whichever header carries it. An access
 * token wins over an API key, and an API key wins over a public key. The project's publishable keys are ignored,
 * because supabase-js sends one when nobody is signed in. Throws token_invalid or api_key_invalid if no credential has
 * a known form.
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
      // This secret key is no JWT. For a secret key that is a JWT, private.refuse_service_role raises the same error.
      throw apiError('token_invalid', 'This call needs a user, but the service role is not a user.', {
        hint: 'Send the access token of the user on whose behalf you call.',
      });
    }
    const code = shown[0]!.startsWith('fk_') ? 'api_key_invalid' : 'token_invalid';
    throw apiError(code, describeMalformed(shown[0]!), {
      hint:
        'An access token is three parts with dots between them, an API key begins with fk_, a run token with fr_, ' +
        'and a public key is base58 of 32 bytes.',
    });
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
 * Like `readCredentials`, but throws the error of private.unauthenticated if the request has no credential that the
 * call accepts. The database decides what the credential allows. Handlers call this function before they read the body,
 * so that a request without credentials costs little.
 */
export function requireCredentials(
  request: Request,
  config: Config,
  accepted: 'all but public keys' | 'all',
): Credentials {
  const credentials = readCredentials(request, config);
  const hasPublicKey = accepted === 'all' && credentials.publicKey !== undefined;
  if (Object.keys(credentials.headers).length === 0 && !hasPublicKey) {
    throw apiError('unauthenticated', 'The request carries no credential that this call accepts.', {
      hint: 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). ' +
        'A run token is accepted only for its own run, and a public key only for a start.',
    });
  }
  return credentials;
}

/** Compares two texts in a time that depends on their lengths only. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

/**
 * Tests whether any of the texts is one of the keys. Compares with all keys, so that the time does not reveal which one
 * matched.
 */
const isAmong = (texts: readonly string[], keys: readonly string[]): boolean =>
  texts.flatMap((text) => keys.map((key) => isEqual(text, key))).includes(true);

/** Tests whether the request's bearer token or header `apikey` is a key that acts as service role. */
export function isSecretKey(request: Request, config: Config): boolean {
  return isAmong([bearerToken(request), request.headers.get('apikey') ?? ''], config.secretKeys);
}
