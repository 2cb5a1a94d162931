import { median } from './statistics.ts';

/** What was measured in one round, and its baseline in the same round. */
export interface Round {
  measured: number;
  baseline: number;
}

/** Whether a ratio holds its goal by reaching it or by staying below it. */
export type GoalKind = 'at least' | 'at most';

/** One ratio: a figure's only one, or one of several. */
export interface Part {
  name: string;
  /** What a round's numbers count. */
  unit: 'a second' | 'ms' | 'µs' | 'KiB' | 'queries';
  /** The median of the rounds' ratios. */
  ratio: number;
  /** Null: printed, without a goal. */
  goal: number | null;
  goal_kind: GoalKind;
  held: boolean | null;
  rounds: Round[];
}

/** A figure as the JSON has it: ratio, goal and rounds are those of the part that is nearest to missing its goal. */
export interface Figure extends Part {
  id: string;
  parts: Part[];
}

export interface PartOptions {
  name: string;
  unit: Part['unit'];
  rounds: Round[];
  goal?: number;
  goalKind?: GoalKind;
}

/** A part of its rounds. Ratios are taken within a round, so that a machine that slows down meanwhile slows both sides. */
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

/** How far a part is from missing its goal: below 1 it has. */
const headroom = ({ ratio, goal, goal_kind }: Part): number =>
  goal === null ? Number.POSITIVE_INFINITY : goal_kind === 'at least' ? ratio / goal : goal / ratio;

export function makeFigure(id: string, name: string, parts: Part[]): Figure {
  const nearest = parts.reduce((least, part) => headroom(part) < headroom(least) ? part : least);
  return { id, ...nearest, name: parts.length > 1 ? `${name}: ${nearest.name}` : name, parts };
}
