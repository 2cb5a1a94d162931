import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { encodeNode } from './index.ts';

const encode = (data: Value, encoding: string) => runNode(encodeNode, { data, encoding: { S: encoding } });

it.each<[Value, string, string]>([
  [{ S: 'ü?>' }, 'hex', 'c3bc3f3e'],
  [{ S: 'ü?>' }, 'base64', 'w7w/Pg=='],
  [{ S: 'ü?>' }, 'base64url', 'w7w_Pg'],
  [{ S: 'ü?>' }, 'base58', '61BpJR'],
  [{ BY: 'w7w=' }, 'utf8', 'ü'],
  [{ S: '' }, 'base58', ''],
  [{ B3: '1'.repeat(32) }, 'hex', '00'.repeat(32)],
])('writes %j as %s', async (data, encoding, text) => {
  expect(await encode(data, encoding)).toEqual({ text: { S: text } });
});

it.each<[Value, string, string]>([
  [{ BY: '/w==' }, 'utf8', 'data: must be utf8'],
  [{ S: 'x'.repeat(1_025) }, 'base58', 'data: must have at most 1024 bytes for base58'],
  [{ S: '' }, 'base32', 'encoding: must be one of utf8, hex, base64, base64url, base58'],
])('refuses case %#', async (data, encoding, error) => {
  await expect(encode(data, encoding)).rejects.toThrow(error);
});
