import { base64url } from '@scure/base';
import type { JWTPayload } from 'jose';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify, type JWTVerifyGetKey } from 'jose/jwt/verify';
import { makeKnownOwners } from './known_owners.ts';

/** Tells whose access tokens are, so that users take turns. What a token allows, PostgREST alone decides. */
export interface AccessTokens {
  /** The user whose token it is; undefined for a token of which nobody knows yet whether it is good. */
  userOf: (token: string) => Promise<string | undefined>;
  /** Remembers a token that PostgREST has accepted. */
  accept: (token: string) => Promise<void>;
}

/** Those with which Supabase Auth signs so that a public key verifies it. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
/** As PostgREST allows for clocks that differ. */
const CLOCK_TOLERANCE_S = 30;
/** Characters of a token that is verified here. Those of Supabase Auth have some thousand at most. */
const MAX_CHARACTERS = 16_384;
/** How long a token is remembered that does not say when it ends. */
const WITHOUT_END_MS = 3_600_000;

const hashOf = async (token: string): Promise<string> =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));

/** The claims of a token that PostgREST has accepted; undefined where they can't be read. */
function claimsOf(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/**
 * A token is verified by a published key. Where the project has none, because it signs with a secret, a token counts once
 * PostgREST has accepted it. Both are remembered by the token's hash until the token ends.
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
