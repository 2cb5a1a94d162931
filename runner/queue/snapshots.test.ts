import { expect, it } from 'vitest';
import { makeSnapshotCache } from './snapshots.ts';

const textOf = (length: number) => JSON.stringify({ entry: 'x'.repeat(length - '{"entry":""}'.length) });

it('a cache of snapshots drops the least recently used ones by number and by size', () => {
  const cache = makeSnapshotCache(3, 1_000);
  for (const hash of ['a', 'b', 'c', 'd']) cache.get(hash, textOf(100));
  cache.get('b', null);
  expect(cache.hashes()).toEqual(['a', 'c', 'd', 'b']);
  cache.trim();
  expect(cache.hashes()).toEqual(['c', 'd', 'b']);
  cache.get('e', textOf(850));
  cache.trim();
  expect(cache.hashes()).toEqual(['b', 'e']);
  cache.get('f', textOf(2_000));
  cache.trim();
  expect(cache.hashes()).toEqual([]);
  cache.get('g', textOf(900));
  cache.get('g', null);
  cache.trim();
  expect(cache.hashes()).toEqual(['g']);
});

it('a claim without a snapshot is an error if the cache does not have it either', () => {
  expect(() => makeSnapshotCache(3, 1_000).get('a', null)).toThrow('brought no snapshot a');
});
