import type { Rpc } from '../../../platform/database/rpc.ts';
import { fromSealedRow, type KeyRing, type SealedRow } from '../../../platform/secrets/sealed_secrets.ts';
import { unsealWallet } from '../../../platform/secrets/wallet_crypto.ts';
import type { OpenWallet } from './signing.ts';

/** Makes a function that opens a user's stored key pairs by public key; `rpc` acts as the service role. */
export const makeWalletOpener =
  (rpc: Rpc, readKeys: () => KeyRing) => (user_id: string): OpenWallet => async (public_key) => {
    const stored = await rpc<SealedRow | null>('read_wallet_secret', { user_id, public_key });
    if (stored === null) return undefined;
    return await unsealWallet(readKeys(), { user_id, public_key }, fromSealedRow(stored));
  };
