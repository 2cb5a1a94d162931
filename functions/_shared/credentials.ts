import type { Config } from './config.ts';

/** Three base64url parts: what an access token looks like. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The bearer token of a request; the word `Bearer` may be missing or in any case. Empty when there is none. */
const bearerToken = (request: Request): string =>
  request.headers.get('authorization')?.replace(/^\s*(bearer\s+)?/i, '')
    .trim() ?? '';

/**
 * The headers with which a request's credentials reach the database, where they are checked.
 * A public key of the project itself is no credential.
 */
export function forwardedCredentials(
  request: Request,
  config: Config,
): Record<string, string> {
  const token = bearerToken(request);
  if (token === '' || config.publicKeys.includes(token)) return {};
  // Anything else goes to PostgREST as it is, which refuses what is no valid token; only its form is made right.
  return { authorization: `Bearer ${JWT.test(token) ? token : 'malformed'}` };
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
async function isEqual(a: string, b: string): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
    );
  const [left, right] = await Promise.all([digest(a), digest(b)]);
  return left.reduce(
    (difference, byte, index) => difference | (byte ^ (right[index] ?? 0)),
    0,
  ) === 0;
}

/** Whether the request shows a key that acts as service role, as bearer token or as `apikey`. */
export async function isSecretKey(
  request: Request,
  config: Config,
): Promise<boolean> {
  const shown = [bearerToken(request), request.headers.get('apikey') ?? ''];
  const matches = await Promise.all(
    shown.flatMap((token) => config.secretKeys.map((key) => isEqual(token, key))),
  );
  return matches.includes(true);
}
