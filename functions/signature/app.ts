import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeSubmitSignature } from './submit_signature.ts';

/** Makes the Edge Function `signature`. */
export function makeSignatureApp(platform: Platform) {
  const deps = makeDeps(platform);
  return makeApp('signature', [
    { method: 'POST', path: '/submit', handle: makeSubmitSignature(deps, makeRunnerPoke(platform, deps.config)) },
  ]);
}
