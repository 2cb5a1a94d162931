import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { chunkStringNode } from './index.ts';

const chunk = async (text: string, size: string) =>
  (await runNode(chunkStringNode, { string: { S: text }, chunk_size: { U: size } }))['chunks'];

it.each<[string, string, string[]]>([
  ['abcde', '2', ['ab', 'cd', 'e']],
  ['abcd', '2', ['ab', 'cd']],
  ['abc', '18446744073709551615', ['abc']],
  ['', '1', []],
  // A character outside of the basic plane has two code units. The node does not split such a character.
  ['a🦊b', '1', ['a', '🦊', 'b']],
])('splits %j into parts of %s', async (text, size, parts) => {
  expect(await chunk(text, size)).toEqual({ A: parts.map((S) => ({ S })) });
});

it('refuses parts without characters, and more parts than an output may have', async () => {
  await expect(chunk('abc', '0')).rejects.toThrow('chunk_size: must be 1 or more');
  await expect(chunk('a'.repeat(200_000), '1')).rejects.toThrow(
    "output_too_large: 200000 parts don't fit into an output of 1048576 bytes",
  );
});
