import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { jsonInsertNode } from './index.ts';

const insert = (json_input: Value, path: string, value: Value) =>
  runNode(jsonInsertNode, { json_input, path: { S: path }, value });
const list: Value = { M: { list: { A: [{ S: 'a' }] } } };

it.each<[Value, string, Value]>([
  [list, '/list/0', { M: { list: { A: [{ U: '1' }, { S: 'a' }] } } }],
  [list, 'list/-', { M: { list: { A: [{ S: 'a' }, { U: '1' }] } } }],
  [list, '/other', { M: { list: { A: [{ S: 'a' }] }, other: { U: '1' } } }],
  [list, '/list', { M: { list: { U: '1' } } }],
  [list, '', { U: '1' }],
])('json_insert puts 1 into %j at %j', async (whole, path, expected) => {
  expect(await insert(whole, path, { U: '1' })).toEqual({ updated_json: expected });
});

it.each(
  [[list, '/list/2'], [list, '/no/member'], [list, '/list/0/deeper'], [{ S: 'text' }, '/a']] as [Value, string][],
)(
  'json_insert fails with %j at %j, where no value can be inserted',
  async (whole, path) => {
    await expect(insert(whole, path, { N: 0 })).rejects.toThrow(`failed to insert at "${path}"`);
  },
);
