/** Remembers tokens that were good when they were last shown. Anybody can make up tokens, but not good ones. */
export interface KnownTokens {
  has: (token: string) => boolean;
  add: (token: string) => void;
  forget: (token: string) => void;
}

/** Makes a memory of so many tokens; those that have not been shown for longest are forgotten first. */
export function makeKnownTokens(maxTokens = 10_000): KnownTokens {
  const tokens = new Set<string>();
  return {
    has: (token) => tokens.has(token),
    add: (token) => {
      tokens.delete(token);
      tokens.add(token);
      const [oldest] = tokens;
      if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest);
    },
    forget: (token) => void tokens.delete(token),
  };
}
