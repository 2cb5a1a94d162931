import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { Page } from 'playwright-core';
import type { Keypair } from './keypairs.ts';

/** What a page calls to have bytes signed: the key itself never comes into it. */
const SIGN = 'signForTestWallet';

/** Registers a wallet by the Wallet Standard, as an extension of a browser does. It runs in the page. */
function registerWallet({ address, publicKey, sign }: { address: string; publicKey: number[]; sign: string }): void {
  const features = ['solana:signTransaction'];
  const account = { address, publicKey: new Uint8Array(publicKey), chains: ['solana:devnet'], features };
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
    const signedTransaction = new Uint8Array(transaction);
    const messageAt = 1 + 64 * transaction[0]!;
    const signBytes = Reflect.get(window, sign) as (bytes: number[]) => Promise<number[]>;
    // The fee payer is the first to sign.
    signedTransaction.set(await signBytes([...transaction.subarray(messageAt)]), 1);
    return [{ signedTransaction }];
  };
  const wallet = {
    version: '1.0.0',
    name: 'Test wallet',
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains: ['solana:devnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: ['legacy', 0], signTransaction },
    },
  };
  const register = ({ register: add }: { register: (added: object) => void }) => add(wallet);
  window.addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
}

/** Gives the pages that are opened from now on a wallet with this key, which pays for what it signs. */
export async function addBrowserWallet(page: Page, { publicKey, secretKey }: Keypair): Promise<void> {
  await page.exposeFunction(
    SIGN,
    (bytes: number[]) => [...ed25519.sign(new Uint8Array(bytes), secretKey)],
  );
  await page.addInitScript(registerWallet, {
    address: publicKey,
    publicKey: [...base58.decode(publicKey)],
    sign: SIGN,
  });
}
