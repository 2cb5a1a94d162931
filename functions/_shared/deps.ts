import { makeAdmission } from './admission.ts';
import type { Config } from './config.ts';
import { readConfig } from './config.ts';
import {
  makeReadRows,
  makeRpc,
  makeRpcText,
  makeRpcWithJson,
  type ReadRows,
  type Rpc,
  type RpcText,
  type RpcWithJson,
} from './database.ts';
import type { Platform } from './platform.ts';

/** What the handlers of the Edge Functions work with. */
export interface Deps {
  config: Config;
  /** Calls as the caller whose credentials are forwarded, when it is the caller's turn. */
  rpc: Rpc;
  /** As `rpc`, for arguments that are JSON already. */
  rpcWithJson: RpcWithJson;
  /** As `rpc`, for a caller whom something else than credentials for the database tells from others. */
  rpcFor: (caller: string) => Rpc;
  /** As `rpc`, for answers that are passed on as they are. */
  rpcText: RpcText;
  /** Calls as service role. */
  serviceRpc: Rpc;
  /** Calls as service role, when it is the turn of this caller; the arguments are JSON already. */
  serviceRpcFor: (caller: string) => RpcWithJson;
  /** Reads as service role. */
  serviceRead: ReadRows;
}

/**
 * Who takes turns with others, by the credentials for the database: each access token and each API key. All who show
 * neither are one caller, because public keys cost nothing, and run tokens come with each start.
 */
const callerOf = ({ authorization, 'x-api-key': apiKey }: Record<string, string>): string =>
  authorization ?? apiKey ?? 'nobody';

/** Reads the configuration and makes what reaches the database. */
export function makeDeps(platform: Platform): Deps {
  const config = readConfig(platform.env);
  const { supabaseUrl, publicKey, secretKey } = config;
  const { fetch } = platform;
  const service = { supabaseUrl, apikey: secretKey, authorization: `Bearer ${secretKey}`, fetch };
  const forwarded = { supabaseUrl, apikey: publicKey, fetch };
  const rpc = makeRpc(forwarded);
  const rpcWithJson = makeRpcWithJson(forwarded);
  const rpcText = makeRpcText(forwarded);
  const admission = makeAdmission();
  const serviceRpcWithJson = makeRpcWithJson(service);
  return {
    config,
    rpc: (name, args, headers = {}) => admission.admit(callerOf(headers), () => rpc(name, args, headers)),
    rpcWithJson: (name, json, headers = {}) =>
      admission.admit(callerOf(headers), () => rpcWithJson(name, json, headers)),
    rpcFor: (caller) => (name, args, headers) => admission.admit(caller, () => rpc(name, args, headers)),
    rpcText: (name, args, headers = {}) => admission.admit(callerOf(headers), () => rpcText(name, args, headers)),
    serviceRpc: makeRpc(service),
    serviceRpcFor: (caller) => (name, json) => admission.admit(caller, () => serviceRpcWithJson(name, json)),
    serviceRead: makeReadRows(service),
  };
}
