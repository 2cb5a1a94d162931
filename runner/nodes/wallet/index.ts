import { decodeBase58 } from '../../../types/values/base58.ts';
import { walletToValue } from '../../../types/values/keys.ts';
import { formText, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Outputs a wallet by its public key. The worker looks up the signer and the stored key only when the wallet must sign.
 */
export const walletNode: NodeModule = {
  definition,
  namesKeys: true,
  run: ({ formData }) => {
    const publicKey = formText(formData, 'public_key') ?? '';
    if (decodeBase58(publicKey, 32) === undefined) {
      throw new NodeError('failed to decode wallet as base58');
    }
    return { pubkey: { B3: publicKey }, keypair: walletToValue({ type: 'adapter', publicKey }) };
  },
};
