import type { Config } from './config.ts';
import { readConfig } from './config.ts';
import { makeReadRows, makeRpc, type ReadRows, type Rpc } from './database.ts';
import type { Platform } from './platform.ts';

/** What the handlers of the Edge Functions work with. */
export interface Deps {
  config: Config;
  /** Calls as the caller whose credentials are forwarded. */
  rpc: Rpc;
  /** Calls as service role. */
  serviceRpc: Rpc;
  /** Reads as service role. */
  serviceRead: ReadRows;
}

/** Reads the configuration and makes what reaches the database. */
export function makeDeps(platform: Platform): Deps {
  const config = readConfig(platform.env);
  const { supabaseUrl, publicKey, secretKey } = config;
  const { fetch } = platform;
  const service = { supabaseUrl, apikey: secretKey, authorization: `Bearer ${secretKey}`, fetch };
  return {
    config,
    rpc: makeRpc({ supabaseUrl, apikey: publicKey, fetch }),
    serviceRpc: makeRpc(service),
    serviceRead: makeReadRows(service),
  };
}
