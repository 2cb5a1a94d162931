import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { bytesToValue, type Value } from '../../../types/values/value.ts';
import { hmacNode } from './index.ts';

const hmac = (data: Value, key: Value, algorithm?: string) =>
  runNode(hmacNode, { data, key, ...(algorithm !== undefined && { algorithm: { S: algorithm } }) });

it('computes the second test case of RFC 4231', async () => {
  expect((await hmac({ S: 'what do ya want for nothing?' }, { S: 'Jefe' }))['hex']).toEqual({
    S: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  });
});

it.each(['sha1', 'sha256', 'sha384', 'sha512'])('agrees with OpenSSL by %s', async (algorithm) => {
  const [data, key] = [randomBytes(1_000), randomBytes(200)];
  const expected = createHmac(algorithm, key).update(data).digest('hex');
  expect((await hmac(bytesToValue(data), bytesToValue(key), algorithm))['hex']).toEqual({ S: expected });
});

it('refuses algorithms without a keyed form, and does not quote the key', async () => {
  await expect(hmac({ S: '' }, { S: 'secret' }, 'md5')).rejects.toThrow(
    'algorithm: must be one of sha1, sha256, sha384, sha512, sha3_256, sha3_512',
  );
  await expect(hmac({ S: '' }, { M: { secret: { S: 'secret' } } })).rejects.toThrow(
    /^key: invalid type: map, expected [a-z ]+$/,
  );
});
