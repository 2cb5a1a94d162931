import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { makeUpsertWallet } from './upsert_wallet.ts';

/** Makes the Edge Function `wallets`. */
export function makeWalletsApp(platform: Platform) {
  const deps = makeDeps(platform);
  const keys = readWalletKeys(platform.env);
  return makeApp('wallets', [
    { method: 'POST', path: '/upsert', handle: makeUpsertWallet(deps, keys) },
  ]);
}
