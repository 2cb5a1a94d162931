import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { makeAdmission } from '../../../platform/admission.ts';
import type { StackKeys } from '../keys.ts';
import { retryLater } from './answer.ts';

/** The caller of a request, as far as the gateway has verified it. */
export interface Caller {
  kind: 'service' | 'user' | 'stranger';
  /** A user id, `service`, or the address of a stranger. Requests with the same key share their limits and turns. */
  key: string;
}

/** Verifies the credentials of requests. */
export interface Callers {
  /** Identifies the caller by an access token, or by an API key that was looked up before. */
  known: (request: IncomingMessage) => Caller;
  /** Identifies the caller by an access token or an API key, which is looked up in the database if necessary. */
  verified: (request: IncomingMessage) => Promise<Caller>;
}

/** The number of tokens and API keys whose callers are remembered. */
const MAX_REMEMBERED = 1_000;
/** How long the owner of an API key is remembered. */
const KEY_LIFE_MS = 30_000;
/** The most look-ups of API keys at a time, and the most that may wait. */
const MAX_LOOKUPS = 4;
const MAX_WAITING_LOOKUPS = 200;
const LOOKUP_TIMEOUT_MS = 5_000;

const API_KEY = /^fk_[\w-]{20,100}$/;
const MAX_TOKEN_LENGTH = 8_192;

interface Claims {
  sub?: unknown;
  role?: unknown;
  exp?: unknown;
}

/** Reads the claims of a JWT that is signed by HS256 with the secret; undefined for any other token. */
function readClaims(token: string, secret: string): Claims | undefined {
  const [head, payload, signature, ...rest] = token.split('.');
  if (token.length > MAX_TOKEN_LENGTH || !head || !payload || !signature || rest.length > 0) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  try {
    if (JSON.parse(Buffer.from(head, 'base64url').toString()).alg !== 'HS256') return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/**
 * Makes a map with a bounded number of entries. It forgets each entry after a given time, and the oldest entry when it
 * is full.
 */
function makeMemory<Value>() {
  const entries = new Map<string, { value: Value; until: number }>();
  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key);
      if (entry === undefined || entry.until > Date.now()) return entry?.value;
      entries.delete(key);
      return undefined;
    },
    set(key: string, value: Value, until: number): void {
      entries.delete(key);
      entries.set(key, { value, until });
      if (entries.size > MAX_REMEMBERED) entries.delete(entries.keys().next().value!);
    },
  };
}

const headerOf = ({ headers }: IncomingMessage, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
};

const strangerOf = (request: IncomingMessage): Caller => ({
  kind: 'stranger',
  key: `address ${request.socket.remoteAddress}`,
});

/** Makes the verification of callers. API keys are looked up through PostgREST on its socket. */
export function makeCallers(keys: StackKeys, restSocket: string): Callers {
  const tokens = makeMemory<Caller>();
  /** The owner of each API key; null for an invalid key. */
  const owners = makeMemory<string | null>();
  const lookups = makeAdmission({
    slots: MAX_LOOKUPS,
    aloneSlots: MAX_LOOKUPS,
    sharedSlots: MAX_LOOKUPS,
    recentMs: 0,
    maxWaiting: MAX_WAITING_LOOKUPS,
    maxAllWaiting: MAX_WAITING_LOOKUPS,
    now: () => performance.now(),
  });

  const byToken = (token: string): Caller | undefined => {
    const remembered = tokens.get(token);
    if (remembered !== undefined) return remembered;
    const claims = readClaims(token, keys.jwtSecret);
    if (claims === undefined) return undefined;
    const until = typeof claims.exp === 'number' ? claims.exp * 1_000 : Infinity;
    if (until <= Date.now()) return undefined;
    const caller: Caller | undefined = claims.role === 'service_role'
      ? { kind: 'service', key: 'service' }
      : typeof claims.sub === 'string'
      ? { kind: 'user', key: claims.sub }
      : undefined;
    if (caller !== undefined) tokens.set(token, caller, until);
    return caller;
  };

  /** Asks PostgREST for the owner of an API key. */
  const askOwner = (apiKey: string): Promise<string | null | undefined> =>
    new Promise((resolve) => {
      const asked = httpRequest({
        socketPath: restSocket,
        path: '/rpc/whoami',
        method: 'POST',
        headers: { authorization: `Bearer ${keys.anonKey}`, 'x-api-key': apiKey, 'content-length': 0 },
        timeout: LOOKUP_TIMEOUT_MS,
      }, async (response) => {
        let text = '';
        try {
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          if (response.statusCode === 200) resolve(JSON.parse(text).user_id ?? null);
          else resolve(response.statusCode === 401 ? null : undefined);
        } catch {
          resolve(undefined);
        }
      });
      asked.once('timeout', () => asked.destroy()).once('error', () => resolve(undefined)).end();
    });

  const find = (request: IncomingMessage): { caller: Caller } | { apiKey: string } => {
    const token = headerOf(request, 'authorization').replace(/^bearer\s+/i, '');
    const caller = byToken(token);
    if (caller !== undefined) return { caller };
    const apiKey = [headerOf(request, 'x-api-key'), token].find((text) => API_KEY.test(text));
    const owner = apiKey === undefined ? undefined : owners.get(apiKey);
    if (typeof owner === 'string') return { caller: { kind: 'user', key: owner } };
    if (apiKey !== undefined && owner === undefined) return { apiKey };
    return { caller: strangerOf(request) };
  };

  return {
    known(request) {
      const found = find(request);
      return 'caller' in found ? found.caller : strangerOf(request);
    },
    async verified(request) {
      const found = find(request);
      if ('caller' in found) return found.caller;
      const { apiKey } = found;
      // Several requests with the same new key may arrive together. The first look-up then serves them all.
      const lookUp = async (): Promise<string | null | undefined> => {
        const remembered = owners.get(apiKey);
        if (remembered !== undefined) return remembered;
        const asked = await askOwner(apiKey);
        if (asked !== undefined) owners.set(apiKey, asked, Date.now() + KEY_LIFE_MS);
        return asked;
      };
      const owner = await lookups.admit('', lookUp).catch(() => undefined);
      if (owner === undefined) throw retryLater(503, 'service_unavailable', 'The API key could not be looked up.', 1);
      return owner === null ? strangerOf(request) : { kind: 'user', key: owner };
    },
  };
}
