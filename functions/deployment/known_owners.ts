/** Remembers whose tokens are that were good when they were last shown. Anybody can make up tokens, but not good ones. */
export interface KnownOwners {
  of: (token: string) => string | undefined;
  add: (token: string, owner: string) => void;
  forget: (token: string) => void;
}

/** Makes a memory of so many tokens; those that have not been shown for longest are forgotten first. */
export function makeKnownOwners(maxTokens = 10_000): KnownOwners {
  const owners = new Map<string, string>();
  return {
    of: (token) => owners.get(token),
    add: (token, owner) => {
      owners.delete(token);
      owners.set(token, owner);
      const [oldest] = owners.keys();
      if (owners.size > maxTokens && oldest !== undefined) owners.delete(oldest);
    },
    forget: (token) => void owners.delete(token),
  };
}
