import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { toBytesNode } from './index.ts';

it.each([
  ['', { BY: '' }],
  ['ü', { BY: 'w7w=' }],
  // Bytes of a key's length are one, whatever they were made of.
  ['\0'.repeat(32), { B3: '1'.repeat(32) }],
])('to_bytes gives of %j its UTF-8', async (text, bytes) => {
  expect(await runNode(toBytesNode, { string: { S: text } })).toEqual({ bytes });
});

it('to_bytes takes texts only', async () => {
  await expect(runNode(toBytesNode, { string: { U: '1' } })).rejects.toThrow(
    'string: invalid type: integer `1`, expected a string',
  );
});
