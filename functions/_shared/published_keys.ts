import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import type { JWTVerifyGetKey } from 'jose/jwt/verify';
import { makeByteSink } from '../../platform/byte_sink.ts';

/** The time for which fetched keys are used. */
const KEYS_MS = 600_000;
/** The shortest time between two requests for keys. It applies even if many tokens name unknown keys. */
const PAUSE_MS = 30_000;
/** The time limit of a request for keys. A request whose token names an unknown key waits for the answer. */
const TIMEOUT_MS = 2_000;
/** The largest answer. A project has a few keys of some hundred bytes each. */
const MAX_BYTES = 65_536;

async function readText(response: Response): Promise<string> {
  const sink = makeByteSink(
    MAX_BYTES,
    () => new Error(`The project's public keys for access tokens have more than ${MAX_BYTES} bytes.`),
  );
  for await (const chunk of response.body ?? []) sink.add(chunk);
  return new TextDecoder().decode(sink.bytes());
}

/**
 * Makes the fetch function for `createRemoteJWKSet`. By itself, `createRemoteJWKSet` pauses only after a successful
 * answer. This function also pauses after a failure. During that pause it returns the last good answer, so that the
 * keys stay known while Auth is down.
 */
function makeFetchKeys(fetch: typeof globalThis.fetch) {
  let lastGood: string | undefined;
  let failedAt = -Infinity;
  return async (url: string, init: RequestInit): Promise<Response> => {
    const inform = (cause: unknown): Response => {
      if (lastGood === undefined) {
        throw new Error("The project's public keys for access tokens can't be read.", { cause });
      }
      return new Response(lastGood);
    };
    if (Date.now() - failedAt < PAUSE_MS) return inform('The last try was a moment ago.');
    try {
      const response = await fetch(url, init);
      const text = await readText(response);
      if (response.status !== 200 || !Array.isArray(JSON.parse(text)?.keys)) {
        throw new Error(`It answers ${response.status}.`);
      }
      lastGood = text;
      return new Response(text);
    } catch (error) {
      failedAt = Date.now();
      return inform(error);
    }
  };
}

/** Makes a getter of the public keys that the project's Auth publishes. They verify access tokens. */
export const makePublishedKeys = (supabaseUrl: string, fetch: typeof globalThis.fetch): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(`${supabaseUrl}/auth/v1/.well-known/jwks.json`), {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: PAUSE_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: makeFetchKeys(fetch),
  });
