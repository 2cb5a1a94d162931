import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Keypair } from './keypairs.ts';

/** The name of the page's function that signs. The secret key itself never enters the page. */
const SIGN = 'signForTestWallet';
/**
 * The name of the page's function that sends a transaction. With it, the page itself need not reach the wallet's RPC
 * node.
 */
const SEND = 'sendForTestWallet';

interface PageWallet {
  address: string;
  publicKey: number[];
  name: string;
  can: readonly string[];
  sign: string;
  send: string;
}

/** Registers a wallet by the Wallet Standard, as a browser extension does. It runs in the page. */
function registerWallet({ address, publicKey, name, can, sign, send }: PageWallet): void {
  const account = { address, publicKey: new Uint8Array(publicKey), chains: ['solana:devnet'], features: can };
  const call = async (named: string, bytes: Uint8Array): Promise<number[]> => {
    const answer = await (Reflect.get(window, named) as (bytes: number[]) => Promise<number[] | object>)([...bytes]);
    // Wallets throw objects of all kinds, not only errors.
    if (!Array.isArray(answer)) throw answer;
    return answer;
  };
  const signed = async (transaction: Uint8Array): Promise<Uint8Array> => {
    const signedTransaction = new Uint8Array(transaction);
    const messageAt = 1 + 64 * transaction[0]!;
    // The first signature is that of the fee payer.
    signedTransaction.set(await call(sign, transaction.subarray(messageAt)), 1);
    return signedTransaction;
  };
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => [{
    signedTransaction: await signed(transaction),
  }];
  const signAndSendTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
    const wire = await signed(transaction);
    await call(send, wire);
    return [{ signature: wire.slice(1, 65) }];
  };
  const versions = { version: '1.0.0', supportedTransactionVersions: ['legacy', 0] };
  const features: Record<string, object> = {
    'solana:signTransaction': { ...versions, signTransaction },
    'solana:signAndSendTransaction': { ...versions, signAndSendTransaction },
  };
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains: ['solana:devnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      ...Object.fromEntries(can.map((feature) => [feature, features[feature]])),
    },
  };
  const register = ({ register: add }: { register: (added: object) => void }) => add(wallet);
  window.addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
}

export interface BrowserWalletOptions {
  name?: string;
  /** Sends a signed transaction. If this function is given, the wallet declares that it sends transactions. */
  send?: (wire: Uint8Array) => Promise<void>;
  /**
   * Called before each signature. Returns the error that the wallet throws, such as `{code: 4001}`, or undefined to
   * sign.
   */
  refuse?: () => object | undefined;
}

/** Adds a wallet with this key to the pages that the test opens from now on. The key pays the fees. */
export async function addBrowserWallet(
  page: Page,
  { publicKey, secretKey }: Keypair,
  { name = 'Test wallet', send, refuse }: BrowserWalletOptions = {},
): Promise<void> {
  const added = [
    await page.exposeFunction(
      SIGN,
      (bytes: number[]) => refuse?.() ?? [...ed25519.sign(new Uint8Array(bytes), secretKey)],
    ),
  ];
  if (send !== undefined) {
    const exposed = await page.exposeFunction(SEND, async (bytes: number[]) => {
      await send(new Uint8Array(bytes));
      return [];
    });
    added.push(exposed);
  }
  const script = await page.addInitScript(registerWallet, {
    address: publicKey,
    publicKey: [...base58.decode(publicKey)],
    name,
    can: ['solana:signTransaction', ...(send === undefined ? [] : ['solana:signAndSendTransaction'])],
    sign: SIGN,
    send: SEND,
  });
  onTestFinished(async () => {
    for (const disposable of [...added, script]) await disposable.dispose();
  });
}
