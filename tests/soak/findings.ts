/** Something that is not as it should be. */
export interface Finding {
  /** The rule that it breaks, in snake_case. */
  check: string;
  /** What shows it. */
  detail: object;
}

/** Findings kept of one check; of more only the number is known. */
const KEPT = 20;

/** Collects what is found. */
export interface Findings {
  add: (check: string, detail: object) => void;
  /** How often each check found something. */
  counts: () => { [check: string]: number };
  /** The first findings of each check. */
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
