import { base64url } from '@scure/base';
import type { JWTPayload } from 'jose';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify, type JWTVerifyGetKey } from 'jose/jwt/verify';
import { makeKnownOwners } from './known_owners.ts';

/**
 * Finds the user of an access token, so that the users can take turns with their database calls. The result grants
 * nothing: PostgREST alone decides what a token allows.
 */
export interface AccessTokens {
  /** The user of the token; undefined if the token is not verified yet. */
  userOf: (token: string) => Promise<string | undefined>;
  /** Remembers a token that PostgREST has accepted. */
  accept: (token: string) => Promise<void>;
}

/** The signature algorithms of Supabase Auth that use a public and a private key. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
/** Seconds by which clocks may differ. PostgREST has the same tolerance. */
const CLOCK_TOLERANCE_S = 30;
/** The longest token that this code verifies, in characters. Tokens of Supabase Auth have a few thousand at most. */
const MAX_CHARACTERS = 16_384;
/** The time for which a token without an expiry is remembered. */
const WITHOUT_END_MS = 3_600_000;

const hashOf = async (token: string): Promise<string> =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));

/** Reads the claims of a token that PostgREST has accepted; undefined if the token can't be decoded. */
function claimsOf(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/**
 * Verifies tokens by the project's published keys. A project that signs with a shared secret publishes no keys. A token
 * of such a project counts as verified after PostgREST has accepted it. The user of a verified token is remembered
 * under the token's hash until the token expires.
 */
export function makeAccessTokens(keys: JWTVerifyGetKey): AccessTokens {
  const known = makeKnownOwners();
  const remember = (hash: string, { sub, exp }: JWTPayload): void => {
    if (sub === undefined) return;
    known.add(hash, sub, exp === undefined ? Date.now() + WITHOUT_END_MS : (exp + CLOCK_TOLERANCE_S) * 1_000);
  };
  return {
    userOf: async (token) => {
      if (token.length > MAX_CHARACTERS) return undefined;
      const hash = await hashOf(token);
      const user = known.of(hash);
      if (user !== undefined) return user;
      try {
        const { payload } = await jwtVerify(token, keys, { algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_S });
        remember(hash, payload);
        return payload.sub;
      } catch {
        return undefined;
      }
    },
    accept: async (token) => {
      const claims = token.length > MAX_CHARACTERS ? undefined : claimsOf(token);
      if (claims !== undefined) remember(await hashOf(token), claims);
    },
  };
}
