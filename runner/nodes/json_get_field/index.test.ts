import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { jsonGetFieldNode } from './index.ts';

const get = (json_or_string: Value, field: string) =>
  runNode(jsonGetFieldNode, { json_or_string, field: { S: field } });

it.each<[Value, string, Value, string]>([
  [{ M: { a: { S: 'text' } } }, 'a', { S: 'text' }, 'text'],
  [{ M: { a: { A: [{ D: '1.50' }, { S: 'x' }] } } }, 'a', { A: [{ D: '1.50' }, { S: 'x' }] }, '[1.5,"x"]'],
  [{ M: { a: { N: 0 } } }, 'a', { N: 0 }, ''],
  [
    { S: '{"a": {"b": 18446744073709551616}}' },
    'a',
    { M: { b: { U1: '18446744073709551616' } } },
    '{"b":18446744073709551616.0}',
  ],
  [{ S: '{"a": 1}' }, 'b', { N: 0 }, ''],
  [{ S: '{"a": 1}' }, 'toString', { N: 0 }, ''],
  [{ A: [{ U: '1' }] }, '0', { N: 0 }, ''],
  [{ U: '1' }, 'a', { N: 0 }, ''],
])('json_get_field outputs, for %j, the field %j', async (container, field, json, text) => {
  expect(await get(container, field)).toEqual({ result_json: json, result_string: { S: text } });
});

it.each<[Value, string, string]>([
  [{ M: { a: { U: '1' } } }, 'b', 'there is no field "b"'],
  [{ M: {} }, 'toString', 'there is no field "toString"'],
  [{ S: '[1]' }, '0', 'the text must hold a JSON object'],
  [{ S: 'text' }, 'a', 'the text is not JSON'],
])('json_get_field of %j fails for %j and names the reason', async (container, field, message) => {
  await expect(get(container, field)).rejects.toThrow(message);
});
