import { expect, it } from 'vitest';
import { losslessJson, RawJson } from './raw_json.ts';

it('serializes raw members among other members', () => {
  const args = { id: 'a"b', values: new RawJson('{"a": 1.50}'), missing: undefined, none: null };
  expect(losslessJson(args)).toBe('{"id":"a\\"b","values":{"a": 1.50},"none":null}');
});
