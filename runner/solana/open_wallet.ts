import type { Rpc } from '../../functions/_shared/database.ts';
import { fromSealedRow, type KeyRing, type SealedRow } from '../../functions/_shared/sealed_secrets.ts';
import { unsealWallet } from '../../functions/_shared/wallet_crypto.ts';
import type { OpenWallet } from './signing.ts';

/** Makes a function that opens a user's stored key pairs by public key; `rpc` acts as the service role. */
export const makeWalletOpener =
  (rpc: Rpc, readKeys: () => KeyRing) => (user_id: string): OpenWallet => async (public_key) => {
    const stored = await rpc<SealedRow | null>('read_wallet_secret', { user_id, public_key });
    if (stored === null) return undefined;
    return await unsealWallet(readKeys(), { user_id, public_key }, fromSealedRow(stored));
  };
