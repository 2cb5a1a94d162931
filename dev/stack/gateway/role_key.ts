import type { IncomingMessage } from 'node:http';
import type { StackKeys } from '../keys.ts';

/** Returns the JWT of the role of a project's API key; undefined for an unknown key. */
function roleToken(key: string, keys: StackKeys): string | undefined {
  if (key === keys.anonKey || key === keys.publishableKey) return keys.anonKey;
  if (key === keys.serviceRoleKey || key === keys.secretKey) return keys.serviceRoleKey;
  return undefined;
}

/**
 * Checks the `apikey` of a request, as the platform's gateway does, and sets the `Authorization` that PostgREST and
 * Auth expect: the caller's own token, or else the token of the role. Opaque keys (`sb_…`) never reach the parts behind
 * the gateway. Returns the reason for a refusal, or undefined.
 */
export function admitByRoleKey(
  request: IncomingMessage,
  query: URLSearchParams,
  keys: StackKeys,
): string | undefined {
  const header = request.headers.apikey;
  const key = (Array.isArray(header) ? header[0] : header) ?? query.get('apikey');
  if (key === null) return 'No API key found in request';
  const token = roleToken(key, keys);
  if (token === undefined) return 'Invalid API key';
  const { authorization } = request.headers;
  const bearer = authorization?.replace(/^bearer\s+/i, '');
  if (bearer === undefined || bearer === key) request.headers.authorization = `Bearer ${token}`;
  return undefined;
}
