import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import type { LosslessJson, Value } from '../../../types/values/value.ts';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import { constNode } from './index.ts';

const run = (formData: LosslessJson) => constNode.run(makeNodeCall(constNode, { formData }));

it.each<[LosslessJson, Value]>([
  [{ type: 'String', value: { S: 'Hello' } }, { S: 'Hello' }],
  [{ type: 'Decimal', value: { D: '3.1415926535897932384626433833' } }, { D: '3.1415926535897932384626433833' }],
  [{ type: 'F64', value: { F: '0' } }, { F: '0.0' }],
  [{ type: 'JSON', value: '{"exact": 0.10, "large": 18446744073709551616}' }, {
    M: { exact: { D: '0.10' }, large: { U1: '18446744073709551616' } },
  }],
  [{ type: 'text', value: 'Hello' }, { S: 'Hello' }],
  [{ type: 'text' }, { S: '' }],
  [{ type: 'number', value: new LosslessNumber('3') }, { U: '3' }],
  [{ type: 'number', value: new LosslessNumber('-1.50') }, { D: '-1.50' }],
  [{ type: 'decimal', value: '2.50' }, { D: '2.50' }],
  [{ type: 'boolean', value: false }, { B: false }],
  [{ type: 'null' }, { N: 0 }],
  [{ type: 'null', value: 'left by another type' }, { N: 0 }],
  [{ type: 'bytes', value: 'AQID' }, { BY: 'AQID' }],
  [{ type: 'key', value: '11111111111111111111111111111111' }, { B3: '11111111111111111111111111111111' }],
  [{ type: 'key', value: '1'.repeat(64) }, { B6: '1'.repeat(64) }],
  [{ type: 'boolean', value: { B: true } }, { B: true }],
  ['as older editors saved it', { S: 'as older editors saved it' }],
  [{ type: 'File', value: ['https://example.com/a.png'] }, { A: [{ S: 'https://example.com/a.png' }] }],
])('const outputs %j as a value', (formData, expected) => {
  expect(run(formData)).toEqual({ Source: expected });
});

it.each<[LosslessJson, RegExp]>([
  [{ type: 'JSON', value: '{' }, /not JSON/],
  [{ type: 'JSON', value: {} }, /must be a text that holds JSON/],
  [{ type: 'JSON', value: '['.repeat(1_000_000) }, /the JSON text is nested deeper than 64 levels/],
  [{ type: 'JSON', value: `[${'1,'.repeat(500_000)}1]` }, /the JSON text holds more than 131072 values/],
  [{ type: 'F64', value: { F: `${'1'.repeat(150_000)}x` } }, /must be a float/],
  [{ type: 'U64', value: { U: '-1' } }, /from 0 to 2\^64-1/],
  [{ type: 'text', value: true }, /^form_data\.value: must be a text$/],
  [{ type: 'number', value: '3' }, /^form_data\.value: must be a number$/],
  [{ type: 'decimal', value: '1e5' }, /^form_data\.value: must be a plain decimal/],
  [{ type: 'boolean', value: 'true' }, /^form_data\.value: must be true or false$/],
  [{ type: 'bytes', value: 'AQI' }, /^form_data\.value: must be bytes in base64, such as AQID$/],
  [{ type: 'key', value: 'abc' }, /^form_data\.value: must be a public key, or a key pair/],
  [{ type: 'number' }, /^form_data\.value: must be a number$/],
  [{ type: 'U64' }, /must have the members type and value/],
  [null, /must have the members type and value/],
])('const fails with %.80j and names the reason', (formData, message) => {
  expect(() => run(formData)).toThrow(message);
});
