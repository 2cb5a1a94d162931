import { describe, expect, it } from 'vitest';
import { CLAIM_STATES } from '../../queue/claim/claim_life.ts';
import { SIGHTS } from '../../queue/polling.ts';
import { RUN_STATES } from '../run/run_life.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { SLICE_STATES } from './slice.ts';
import { STANDSTILL } from '../tree/standstill.ts';
import { nextState, type TransitionTable } from './transitions.ts';

type AnyTable = TransitionTable<string, string>;

const tables: [file: string, table: AnyTable][] = [
  ['engine/state/lifecycle.ts', LIFECYCLE],
  ['engine/run/run_life.ts', RUN_STATES],
  ['engine/tree/standstill.ts', STANDSTILL],
  ['engine/state/slice.ts', SLICE_STATES],
  ['queue/claim_life.ts', CLAIM_STATES],
  ['queue/polling.ts', SIGHTS],
];

describe.each(tables)('the states of %s', (_, table) => {
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
});
