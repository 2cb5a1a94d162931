import { hex } from '@scure/base';
import type { Rpc } from '../../_shared/database.ts';
import { openSecret, readWalletKeys, type WalletKeys, WalletSecretError } from '../../_shared/wallet_crypto.ts';
import type { OpenWallet } from './signing.ts';

/** A stored secret as the database gives it: bytes as `\\x` and hex. */
interface StoredSecret {
  key_id: string;
  nonce: string;
  ciphertext: string;
}

const readBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(hex.decode(text.replace(/^\\x/, '')));

/**
 * Opens the key pairs that are stored for a user, by public key; `rpc` acts as service role. WALLET_KEYS of the environment is read
 * when the first key is opened: a project without stored keys does not need it.
 */
export function makeWalletOpener(rpc: Rpc, env: (name: string) => string | undefined): (userId: string) => OpenWallet {
  let keys: WalletKeys | undefined;
  const readKeys = (): WalletKeys => {
    try {
      return keys ??= readWalletKeys(env);
    } catch (error) {
      throw new WalletSecretError((error as Error).message);
    }
  };
  return (user_id) => async (public_key) => {
    const stored = await rpc<StoredSecret | null>('read_wallet_secret', { user_id, public_key });
    if (stored === null) return undefined;
    const { key_id, nonce, ciphertext } = stored;
    const sealed = { key_id, nonce: readBytes(nonce), ciphertext: readBytes(ciphertext) };
    return await openSecret(readKeys(), { user_id, public_key }, sealed);
  };
}
