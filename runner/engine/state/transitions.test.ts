import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLAIM_STATES } from '../../queue/claim_life.ts';
import { DEMANDS } from '../../queue/run_control.ts';
import { RUN_STATES } from '../run/run_life.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { SLICE_STATES } from './slice.ts';
import { STANDSTILL } from '../tree/standstill.ts';
import { nextState, type TransitionTable } from './transitions.ts';

type AnyTable = TransitionTable<string, string>;

/** Reads the tables whose first column is `state` from a text. A cell `throws` stands for no transition. */
function tablesIn(text: string): AnyTable[] {
  const lines = text.split('\n').map((line) => line.replace(/^ \* /, '').trim());
  const cellsOf = (line: string) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', ''));
  return lines.flatMap((line, at) => {
    if (!/^\| state +\|/.test(line)) return [];
    const [, ...events] = cellsOf(line);
    const rest = lines.slice(at + 2);
    const end = rest.findIndex((row) => !row.startsWith('|'));
    const rows = rest.slice(0, end < 0 ? undefined : end).map((row) => {
      const [state = '', ...next] = cellsOf(row);
      const pairs = events.map((event, index) => [event, next[index]] as const);
      return [state, Object.fromEntries(pairs.filter(([, to]) => to !== 'throws'))] as const;
    });
    return [Object.fromEntries(rows)];
  });
}

const folder = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

const tables: [file: string, table: AnyTable][] = [
  ['engine/state/lifecycle.ts', LIFECYCLE],
  ['engine/run/run_life.ts', RUN_STATES],
  ['engine/tree/standstill.ts', STANDSTILL],
  ['engine/state/slice.ts', SLICE_STATES],
  ['queue/claim_life.ts', CLAIM_STATES],
  ['queue/run_control.ts', DEMANDS],
];

describe.each(tables)('the states of %s', (file, table) => {
  const states = Object.keys(table);
  const events = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))];
  const pairs = states.flatMap((state) => events.map((event): [string, string] => [state, event]));

  it.each(pairs)('in the state %s the event %s leads where the table says, or throws', (state, event) => {
    const next = table[state]?.[event];
    if (next === undefined) {
      expect(() => nextState(table, state, event)).toThrow(
        `there is no transition for ${event} in the state ${state}`,
      );
    } else {
      expect(nextState(table, state, event)).toBe(next);
      expect(states).toContain(next);
    }
  });

  it('are described in the comment of the module as the code has them', () => {
    expect(tablesIn(read(file))).toEqual([table]);
  });
});
