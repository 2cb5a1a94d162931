import { expect, it } from 'vitest';
import { RecentSources } from './recent_sources.ts';

const source = (name: string, length: number): string => name.padEnd(length);

it('remembers the last used scripts up to a total of characters', () => {
  const sources = new RecentSources<string>(1_000, 600);
  for (const name of ['a', 'b', 'c']) sources.set(source(name, 300), name);
  expect(sources.get(source('a', 300))).toBe('a');
  sources.set(source('d', 300), 'd');
  expect(['a', 'b', 'c', 'd'].map((name) => sources.get(source(name, 300)))).toEqual(['a', undefined, 'c', 'd']);
  expect(sources.characters).toBe(900);
  sources.set(source('e', 601), 'e');
  expect(sources.get(source('e', 601))).toBeUndefined();
  sources.set(source('a', 300), 'again');
  expect([sources.get(source('a', 300)), sources.characters]).toEqual(['again', 900]);
});

it('limits the number of short scripts, too', () => {
  const sources = new RecentSources<number>(100_000, 1_000);
  for (let index = 0; index < 100; index++) sources.set(`${index}`, index);
  expect([sources.size, sources.get('67'), sources.get('68')]).toEqual([32, undefined, 68]);
});
