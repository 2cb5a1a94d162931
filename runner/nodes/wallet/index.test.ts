import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { NodeError } from '../../engine/node.ts';
import { walletNode } from './index.ts';

it('wallet outputs its public key, and itself as an adapter without a secret', async () => {
  const { publicKey } = makeKeypair();
  expect(await runNode(walletNode, {}, { formData: { public_key: publicKey, wallet_id: '7' } })).toEqual({
    pubkey: { B3: publicKey },
    keypair: { M: { public_key: { B3: publicKey } } },
  });
});

it('wallet accepts only a public key, and quotes nothing of a refused text', async () => {
  for (const public_key of [makeKeypair().keypair, '', 'l', '1'.repeat(31), null]) {
    const error = await runNode(walletNode, {}, { formData: { public_key } }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new NodeError('failed to decode wallet as base58'));
  }
  await expect(runNode(walletNode, {})).rejects.toThrow('failed to decode wallet as base58');
});
