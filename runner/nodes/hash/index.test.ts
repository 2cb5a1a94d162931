import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { bytesToValue, type Value } from '../../../types/values/value.ts';
import { hashNode } from './index.ts';

const hash = async (
  data: Value,
  algorithm?: string,
) => (await runNode(hashNode, { data, ...(algorithm !== undefined && { algorithm: { S: algorithm } }) }));

// Test vectors for the text `abc`. Sources: RFC 1321, FIPS 180-4, FIPS 202, the Keccak team, and the code of the BLAKE3
// paper.
it.each([
  [undefined, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['md5', '900150983cd24fb0d6963f7d28e17f72'],
  ['sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha3_256', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  ['keccak_256', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['blake3', '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
])('hashes a text by %s', async (algorithm, hex) => {
  expect((await hash({ S: 'abc' }, algorithm))['hex']).toEqual({ S: hex });
});

it.each(['md5', 'sha1', 'sha256', 'sha384', 'sha512'])('agrees with OpenSSL about bytes by %s', async (algorithm) => {
  const bytes = randomBytes(1_000);
  const expected = createHash(algorithm).update(bytes).digest('hex');
  expect(await hash(bytesToValue(bytes), algorithm)).toEqual({
    hash: bytesToValue(Buffer.from(expected, 'hex')),
    hex: { S: expected },
  });
});

it('refuses an algorithm that it does not know', async () => {
  await expect(hash({ S: '' }, 'toString')).rejects.toThrow('algorithm: must be one of md5, sha1, ');
  await expect(hash({ U: '1' })).rejects.toThrow('data: invalid type: integer `1`');
});
