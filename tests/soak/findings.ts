/** A violation of a rule. */
export interface Finding {
  /** The name of the rule, in snake_case. */
  check: string;
  /** The evidence. */
  detail: object;
}

/** The findings of one check that are kept; further ones are only counted. */
const KEPT = 20;

/** A collection of findings. */
export interface Findings {
  add: (check: string, detail: object) => void;
  /** Returns how often each check found a violation. */
  counts: () => { [check: string]: number };
  /** Returns the first findings of each check. */
  list: () => Finding[];
}

export function makeFindings(): Findings {
  const byCheck = new Map<string, { count: number; kept: Finding[] }>();
  return {
    add(check, detail) {
      const found = byCheck.get(check) ?? { count: 0, kept: [] };
      byCheck.set(check, found);
      found.count += 1;
      if (found.kept.length < KEPT) found.kept.push({ check, detail });
    },
    counts: () => Object.fromEntries([...byCheck].map(([check, { count }]) => [check, count])),
    list: () => [...byCheck.values()].flatMap(({ kept }) => kept),
  };
}
