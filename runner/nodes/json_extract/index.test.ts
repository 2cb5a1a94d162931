import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { jsonExtractNode } from './index.ts';

const whole: Value = { M: { list: { A: [{ S: 'a' }, { M: { 'x/y': { U: '1' } } }] }, 'x~': { N: 0 } } };

it.each<[string, Value, Value]>([
  ['/list/0', { S: 'a' }, { M: { list: { A: [{ M: { 'x/y': { U: '1' } } }] }, 'x~': { N: 0 } } }],
  ['list/1/x~1y', { U: '1' }, { M: { list: { A: [{ S: 'a' }, { M: {} }] }, 'x~': { N: 0 } } }],
  ['x~0', { N: 0 }, { M: { list: { A: [{ S: 'a' }, { M: { 'x/y': { U: '1' } } }] } } }],
  ['', whole, { N: 0 }],
  ['/list/2', { N: 0 }, whole],
  ['/list/-', { N: 0 }, whole],
])('json_extract takes %j out', async (path, value, rest) => {
  expect(await runNode(jsonExtractNode, { json_input: whole, field_path: { S: path } })).toEqual({
    value,
    trimmed_json: rest,
  });
});

it('json_extract fails without its inputs, and with an invalid path', async () => {
  await expect(runNode(jsonExtractNode, { field_path: { S: '' } })).rejects.toThrow('missing field `json_input`');
  await expect(runNode(jsonExtractNode, { json_input: whole, field_path: { U: '0' } })).rejects.toThrow(
    'field_path: invalid type: integer `0`, expected a string',
  );
  await expect(runNode(jsonExtractNode, { json_input: whole, field_path: { S: 'a~b' } })).rejects.toThrow('~');
});
