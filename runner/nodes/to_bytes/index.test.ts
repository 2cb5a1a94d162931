import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { toBytesNode } from './index.ts';

it.each([
  ['', { BY: '' }],
  ['ü', { BY: 'w7w=' }],
  // 32 bytes become a value with the tag of public keys, `B3`, even if they come from a text.
  ['\0'.repeat(32), { B3: '1'.repeat(32) }],
])('to_bytes outputs the UTF-8 of %j', async (text, bytes) => {
  expect(await runNode(toBytesNode, { string: { S: text } })).toEqual({ bytes });
});

it('to_bytes accepts texts only', async () => {
  await expect(runNode(toBytesNode, { string: { U: '1' } })).rejects.toThrow(
    'string: invalid type: integer `1`, expected a string',
  );
});
