import { base58 } from '@scure/base';
import type { Context } from 'hono';
import { type UpsertWalletParams, upsertWalletParamsSchema, type Wallet } from '../../types/wallet.ts';
import { apiError } from '../../platform/api_error.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { identifyCaller } from '../_shared/identify_caller.ts';
import { prefersRepresentation } from '../_shared/preferences.ts';
import { type KeyRing, toSealedRow } from '../../platform/secrets/sealed_secrets.ts';
import { derivePublicKey, sealWallet } from '../../platform/secrets/wallet_crypto.ts';

/**
 * Returns the secret key of a key pair. Throws wallet_key_mismatch if its two halves do not belong together, or if the
 * public half is not `publicKey`.
 */
async function readSecretKey(keypair: string, publicKey: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(base58.decode(keypair));
  const secretKey = bytes.slice(0, 32);
  const derived = base58.encode(await derivePublicKey(secretKey));
  if (derived !== publicKey || derived !== base58.encode(bytes.slice(32))) {
    throw apiError('wallet_key_mismatch', 'keypair must be the key pair of public_key.', {
      hint: 'A key pair is the 32 bytes of the secret key, then the 32 bytes of its public key.',
    });
  }
  return secretKey;
}

/**
 * `POST /wallets/upsert`: stores a wallet of the caller. With `Prefer: return=representation` the answer is a list. The database
 * gets a key pair only in encrypted form.
 */
export const makeUpsertWallet = ({ config, rpc, serviceRpc }: Deps, keys: KeyRing) => {
  const seal = async (user_id: string, { keypair, public_key }: UpsertWalletParams) => {
    if (keypair === undefined) return {};
    return toSealedRow(await sealWallet(keys, { user_id, public_key }, await readSecretKey(keypair, public_key)));
  };

  return async (context: Context): Promise<Response> => {
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const params = await readBody(context.req.raw, upsertWalletParamsSchema);
    const user_id = await identifyCaller(rpc, headers, 'wallets');
    if (params.user_id !== undefined && params.user_id !== user_id) {
      throw apiError('wallet_not_found', 'There is no such wallet.', {
        hint: "user_id must be the caller's own id; it may be left out.",
      });
    }
    const { type, name, public_key } = params;
    const secret = await seal(user_id, params);
    const wallet = await serviceRpc<Wallet>('store_wallet', { user_id, type, name, public_key, ...secret });
    if (!prefersRepresentation(context.req.header('prefer'))) return context.json(wallet);
    context.header('preference-applied', 'return=representation');
    return context.json([wallet]);
  };
};
