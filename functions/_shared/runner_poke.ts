import type { Config } from './config.ts';
import type { Platform } from './platform.ts';

/**
 * Tells functions/runner that there is work, without waiting for it. A poke that is lost or refused is no error: the
 * sweeper finds the run.
 */
export function pokeRunner(platform: Platform, config: Config): void {
  const poke = platform.fetch(`${config.supabaseUrl}/functions/v1/runner`, {
    method: 'POST',
    headers: { authorization: `Bearer ${config.secretKey}` },
  }).then((response) => response.body?.cancel()).catch(() => {});
  platform.waitUntil(poke);
}
