import { base64 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { type BoundConnection, sealConnection, unsealConnection } from './connection_secrets.ts';
import { readWalletKeys, SealedSecretError } from './sealed_secrets.ts';
import { unsealWallet } from './wallet_crypto.ts';

const keys = readWalletKeys(() => JSON.stringify({ a: base64.encode(new Uint8Array(32).fill(7)) }));
const connection: BoundConnection = {
  id: '019aa645-8d4f-7b21-8c33-2f9e0a6b5d15',
  user_id: '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e11',
  kind: 'header',
  hosts: ['a.example', 'b.example'],
  header: 'x-key',
  parameter: null,
};

describe('the secret of a connection', () => {
  it('opens for its connection', async () => {
    const sealed = await sealConnection(keys, connection, { value: 'a-long-secret' });
    expect(await unsealConnection(keys, connection, sealed)).toEqual({
      kind: 'header',
      secret: { value: 'a-long-secret' },
    });
  });

  it.each<[string, Partial<BoundConnection>]>([
    ['another id', { id: '019aa645-8d4f-7b21-8c33-2f9e0a6b5d16' }],
    ['another user', { user_id: '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e12' }],
    ['another kind', { kind: 'query' }],
    ['one more host', { hosts: ['a.example', 'b.example', 'evil.example'] }],
    ['hosts that are joined', { hosts: ['a.example","b.example'] }],
    ['another header', { header: 'x-other' }],
    ['a parameter', { parameter: 'x-key', header: null }],
  ])('does not open for %s', async (_what, change) => {
    const sealed = await sealConnection(keys, connection, { value: 'a-long-secret' });
    await expect(unsealConnection(keys, { ...connection, ...change }, sealed)).rejects.toThrow(
      new SealedSecretError(
        "The secret of the connection can't be decrypted: it was encrypted by another key, or for another connection.",
      ),
    );
  });

  it('does not open as the key of a wallet', async () => {
    const sealed = await sealConnection(keys, connection, { value: 'x' });
    await expect(unsealWallet(keys, { user_id: connection.user_id, public_key: '' }, sealed)).rejects.toThrow(
      SealedSecretError,
    );
  });
});
