import { expect, it } from 'vitest';
import type { Value } from '../../types/values/value.ts';
import type { CommandContext } from './command.ts';
import { printOutput } from './output.ts';

it.each<[Value, string]>([
  [{ S: 'two\nlines' }, 'a: two\n  lines'],
  [{ U: '7' }, 'a: 7'],
  [{ U: '18446744073709551615' }, 'a: 18446744073709551615'],
  [{ D: '2.20' }, 'a: 2.20'],
  [{ BY: 'AQI=' }, 'a: AQI='],
  [{ A: [{ U: '7' }, { BY: 'AQI=' }, { D: '2.20' }] }, 'a: [7,"AQI=","2.20"]'],
])('an output of %j is printed as %j', async (value, line) => {
  const lines: string[] = [];
  const screen = { print: async (text: string) => void lines.push(text) };
  await printOutput({ screen } as unknown as CommandContext, { a: value });
  expect(lines).toEqual([line]);
});
