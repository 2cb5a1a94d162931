import { hex } from '@scure/base';
import type { Rpc } from '../../functions/_shared/database.ts';
import {
  openSecret,
  readWalletKeys,
  type WalletKeys,
  WalletSecretError,
} from '../../functions/_shared/wallet_crypto.ts';
import type { OpenWallet } from './signing.ts';

/** A stored secret as the database returns it: bytes as `\x` and hex digits. */
interface StoredSecret {
  key_id: string;
  nonce: string;
  ciphertext: string;
}

const readBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(hex.decode(text.replace(/^\\x/, '')));

/**
 * Makes a function that opens a user's stored key pairs by public key; `rpc` acts as the service role. WALLET_KEYS is
 * read from the environment when the first key is opened, so a project without stored keys does not need it.
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
