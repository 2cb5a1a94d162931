/**
 * A page of a site. It shows one blink with Dialect's components. `tests/solana/blink_site.ts` bundles and serves it.
 */
import { Blink, useAction } from '@dialectlabs/blinks';
import { BlinkSolanaConfig } from '@dialectlabs/blinks-core/solana';
import { createElement, useMemo } from 'react';
import { createRoot } from 'react-dom/client';

/** The test's input to the page. */
export interface BlinkPageOptions {
  /** The link, `solana-action:…`. */
  link: string;
  /** The chain's RPC address. */
  chainUrl: string;
  /** The chain's name by CAIP-2. */
  chainId: string;
}

/** The functions of the wallet. The secret key itself never enters the page. */
export interface BlinkPageWallet {
  connect: () => Promise<string>;
  /** Signs a transaction, given in base64, sends it, and returns its signature. */
  signAndSend: (transaction: string) => Promise<string>;
}

// SAFETY: the test exposes both functions before it opens the page.
const { connect, signAndSend } = window as unknown as BlinkPageWallet;

function Shop({ link, chainUrl, chainId }: BlinkPageOptions) {
  const adapter = useMemo(() =>
    new BlinkSolanaConfig(chainUrl, {
      metadata: { supportedBlockchainIds: [chainId] },
      connect,
      signTransaction: async (transaction) => ({ signature: await signAndSend(transaction) }),
      signMessage: async () => ({ error: 'not asked for' }),
    }), [chainUrl, chainId]);
  const { blink } = useAction({ url: link });
  // Dialect's list of trusted sites can't be reached, so this blink counts as not listed.
  return blink === null ? null : createElement(Blink, { blink, adapter, securityLevel: 'all' });
}

const options = Object.fromEntries(new URLSearchParams(location.search)) as unknown as BlinkPageOptions;
createRoot(document.querySelector('main')!).render(createElement(Shop, options));
