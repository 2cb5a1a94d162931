import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import type { JWTVerifyGetKey } from 'jose/jwt/verify';
import { makeByteSink } from './byte_sink.ts';

/** How long the project's keys hold. */
const KEYS_MS = 600_000;
/** No two requests for keys are nearer to each other, however many tokens name keys that are not known. */
const PAUSE_MS = 30_000;
/** How long a request for keys may take. Tokens whose keys are not known wait for it. */
const TIMEOUT_MS = 2_000;
/** A project has a few keys of some hundred bytes each. */
const MAX_BYTES = 65_536;

async function readText(response: Response): Promise<string> {
  const sink = makeByteSink(MAX_BYTES, () => new Error(`The project's keys have more than ${MAX_BYTES} bytes.`));
  for await (const chunk of response.body ?? []) sink.add(chunk);
  return new TextDecoder().decode(sink.bytes());
}

/**
 * Fetches keys for `createRemoteJWKSet`, which spares a server only after it has answered. After a failure the last good
 * answer stands for the next one, so that a project whose Auth is away for a while keeps its keys.
 */
function makeFetchKeys(fetch: typeof globalThis.fetch) {
  let lastGood: string | undefined;
  let failedAt = -Infinity;
  return async (url: string, init: RequestInit): Promise<Response> => {
    const inform = (cause: unknown): Response => {
      if (lastGood === undefined) throw new Error("The project's keys can't be read.", { cause });
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

/** The public keys that the project's Auth publishes, by which its access tokens are verified. */
export const makePublishedKeys = (supabaseUrl: string, fetch: typeof globalThis.fetch): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(`${supabaseUrl}/auth/v1/.well-known/jwks.json`), {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: PAUSE_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: makeFetchKeys(fetch),
  });
