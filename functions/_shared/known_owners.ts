/**
 * Remembers the owners of tokens that were valid when last shown. Invented tokens are never added, so they can't
 * displace valid ones.
 */
interface KnownOwners {
  of: (token: string) => string | undefined;
  /**
   * `untilMs` is the time at which the token ends, in milliseconds since 1970. If it is missing, the token has no end.
   */
  add: (token: string, owner: string, untilMs?: number) => void;
  forget: (token: string) => void;
}

/** Makes a memory of at most `maxTokens` tokens. The tokens that were shown longest ago are forgotten first. */
export function makeKnownOwners(maxTokens = 10_000): KnownOwners {
  const owners = new Map<string, { owner: string; untilMs: number }>();
  return {
    of: (token) => {
      const known = owners.get(token);
      if (known === undefined) return undefined;
      owners.delete(token);
      if (known.untilMs <= Date.now()) return undefined;
      owners.set(token, known);
      return known.owner;
    },
    add: (token, owner, untilMs = Infinity) => {
      owners.delete(token);
      owners.set(token, { owner, untilMs });
      const [oldest] = owners.keys();
      if (owners.size > maxTokens && oldest !== undefined) owners.delete(oldest);
    },
    forget: (token) => void owners.delete(token),
  };
}
