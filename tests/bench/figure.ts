import { median } from './statistics.ts';

/** The measured value of one round, and its baseline in the same round. */
export interface Round {
  measured: number;
  baseline: number;
}

/** The side of its goal on which a ratio must be. */
type GoalKind = 'at least' | 'at most';

/** One ratio of a figure. */
export interface Part {
  name: string;
  /** The unit of a round's numbers. */
  unit: 'a second' | 'ms' | 'µs' | 'KiB' | 'queries';
  /** The median of the rounds' ratios. */
  ratio: number;
  /** Null for a ratio without a goal, which is only printed. */
  goal: number | null;
  goal_kind: GoalKind;
  held: boolean | null;
  rounds: Round[];
}

/**
 * A figure in the JSON. It takes ratio, goal and rounds from its worst part: the part that misses its goal by most, or
 * else is nearest to missing it.
 */
export interface Figure extends Part {
  id: string;
  parts: Part[];
}

interface PartOptions {
  name: string;
  unit: Part['unit'];
  rounds: Round[];
  goal?: number;
  goalKind?: GoalKind;
}

/**
 * Makes a part from its rounds. Each ratio is computed within a round: if the machine is slower, it slows both sides of
 * the ratio.
 */
export function makePart({ name, unit, rounds, goal, goalKind = 'at most' }: PartOptions): Part {
  const ratio = median(rounds.map(({ measured, baseline }) => measured / baseline));
  if (!Number.isFinite(ratio)) throw new Error(`${name}: ${JSON.stringify(rounds)} give no ratio`);
  const isHeld = (bound: number) => goalKind === 'at least' ? ratio >= bound : ratio <= bound;
  return {
    name,
    unit,
    ratio,
    goal: goal ?? null,
    goal_kind: goalKind,
    held: goal === undefined ? null : isHeld(goal),
    rounds,
  };
}

/** Returns a part's distance from its goal as a factor. Below 1, the part has missed the goal. */
const headroom = ({ ratio, goal, goal_kind }: Part): number =>
  goal === null ? Number.POSITIVE_INFINITY : goal_kind === 'at least' ? ratio / goal : goal / ratio;

export function makeFigure(id: string, name: string, parts: Part[]): Figure {
  const nearest = parts.reduce((least, part) => headroom(part) < headroom(least) ? part : least);
  return { id, ...nearest, name: parts.length > 1 ? `${name}: ${nearest.name}` : name, parts };
}
