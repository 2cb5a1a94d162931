import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { decodeNode } from './index.ts';

const decode = (text: string, encoding: string) =>
  runNode(decodeNode, { text: { S: text }, encoding: { S: encoding } });

it.each([
  ['C3bc', 'hex', { BY: 'w7w=' }, 'ü'],
  ['w7w=', 'base64', { BY: 'w7w=' }, 'ü'],
  ['w7w', 'base64url', { BY: 'w7w=' }, 'ü'],
  ['ü', 'utf8', { BY: 'w7w=' }, 'ü'],
  ['w7w', 'base64', { BY: 'w7w=' }, 'ü'],
  ['w7w=', 'base64url', { BY: 'w7w=' }, 'ü'],
  ['w7\r\nw=\n', 'base64', { BY: 'w7w=' }, 'ü'],
  ['-_8', 'base64', { BY: '+/8=' }, undefined],
  ['+/8=', 'base64url', { BY: '+/8=' }, undefined],
  ['C3\nbc\n', 'hex', { BY: 'w7w=' }, 'ü'],
  ['1'.repeat(32), 'base58', { B3: '1'.repeat(32) }, undefined],
  ['ff', 'hex', { BY: '/w==' }, undefined],
])('reads %s as %s', async (text, encoding, bytes, string) => {
  expect(await decode(text, encoding)).toEqual({ bytes, ...(string !== undefined && { string: { S: string } }) });
});

it.each([
  ['xyz', 'hex', 'text: must be hex'],
  ['a', 'base64', 'text: must be base64'],
  ['w7w==', 'base64', 'text: must be base64'],
  ['w=7w', 'base64', 'text: must be base64'],
  ['w7*w', 'base64', 'text: must be base64'],
  ['0OIl', 'base58', 'text: must be base58'],
  ['1'.repeat(1_400), 'base58', 'text: must have at most 1399 characters for base58'],
  ['', '__proto__', 'encoding: must be one of utf8, hex, base64, base64url, base58'],
])('refuses case %#', async (text, encoding, error) => {
  await expect(decode(text, encoding)).rejects.toThrow(error);
});
