import { apiError } from '../../platform/api_error.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** Finds the owner of a token; undefined for an invalid token. */
type OwnerOf = (token: string) => Promise<string | undefined>;

/** Asks the database for the owner of each token, in the same order; null for an unknown token. */
export type LookForOwners = (tokens: string[]) => Promise<(string | null)[]>;

interface TokenOwnersOptions {
  /** The most tokens that one call looks up. */
  callTokens: number;
  /** The most tokens that wait for a call. */
  maxWaiting: number;
}

const TOKEN_OWNERS: TokenOwnersOptions = Object.freeze({
  callTokens: requestLimits.owner_lookups.value,
  maxWaiting: requestLimits.waiting_owner_lookups.value,
});

interface Waiting {
  owner: Promise<string | undefined>;
  resolve: (owner: string | undefined) => void;
  reject: (error: unknown) => void;
}

function wait(): Waiting {
  let settle: Pick<Waiting, 'resolve' | 'reject'>;
  const owner = new Promise<string | undefined>((resolve, reject) => settle = { resolve, reject });
  return { owner, ...settle! };
}

/**
 * Makes a look-up of token owners. Owners can't take turns with look-ups, because the owner of a token is unknown
 * before its look-up. Instead, one call at a time looks up all waiting tokens, so that many invented tokens do not
 * cause many calls. While at most `callTokens` tokens wait, each of them waits for two calls at most.
 */
export function makeTokenOwners(
  look: LookForOwners,
  { callTokens, maxWaiting }: TokenOwnersOptions = TOKEN_OWNERS,
): OwnerOf {
  const waiting = new Map<string, Waiting>();
  let isLooking = false;

  const lookUp = async (): Promise<void> => {
    // Waits a moment, so that tokens that come in the same turn of the event loop are looked up together.
    await Promise.resolve();
    while (waiting.size > 0) {
      const taken = [...waiting].slice(0, callTokens);
      for (const [token] of taken) waiting.delete(token);
      try {
        const owners = await look(taken.map(([token]) => token));
        for (const [index, [, { resolve }]] of taken.entries()) resolve(owners[index] ?? undefined);
      } catch (error) {
        for (const [, { reject }] of taken) reject(error);
      }
    }
    isLooking = false;
  };

  return async (token) => {
    const known = waiting.get(token);
    if (known !== undefined) return await known.owner;
    if (waiting.size >= maxWaiting) {
      throw apiError('too_many_requests', 'Too many requests are waiting already.', {
        hint: 'Try again after as many seconds as Retry-After says.',
        headers: { 'retry-after': '1' },
      });
    }
    const asked = wait();
    waiting.set(token, asked);
    if (!isLooking) {
      isLooking = true;
      void lookUp();
    }
    return await asked.owner;
  };
}
