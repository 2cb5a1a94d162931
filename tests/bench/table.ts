import type { Figure, Part } from './figure.ts';
import { median } from './statistics.ts';

const HEAD = ['id', 'name', 'ratio', 'spread', 'goal', 'held', 'measured', 'baseline', 'unit'];

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

function row(id: string, part: Part): string[] {
  const ratios = part.rounds.map(({ measured, baseline }) => measured / baseline);
  const goalSign = part.goal_kind === 'at least' ? '≥' : '≤';
  return [
    id,
    part.name,
    digits(part.ratio),
    `${digits(Math.min(...ratios))}-${digits(Math.max(...ratios))}`,
    part.goal === null ? '' : `${goalSign} ${part.goal}`,
    part.held === null ? '' : part.held ? 'yes' : 'NO',
    digits(median(part.rounds.map(({ measured }) => measured))),
    digits(median(part.rounds.map(({ baseline }) => baseline))),
    part.unit,
  ];
}

/** Formats the figures as a Markdown table. Each part has a row with the medians of its rounds. */
export function formatTable(figures: Figure[]): string {
  const rows = figures.flatMap(({ id, parts }) => parts.map((part) => row(id, part)));
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((cells) => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
