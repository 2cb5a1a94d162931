import { makeAccessTokens } from './access_tokens.ts';
import { makeAdmission } from '../../platform/admission.ts';
import type { Config } from '../../platform/config.ts';
import { readConfig } from '../../platform/config.ts';
import {
  asService,
  makeReadRows,
  makeRpc,
  makeRpcText,
  makeRpcWithJson,
  type ReadRows,
  type Rpc,
  type RpcText,
  type RpcWithJson,
} from '../../platform/database/rpc.ts';
import { losslessJson } from './lossless_body.ts';
import type { Platform } from './edge_platform.ts';
import { makePublishedKeys } from './published_keys.ts';
import { makeTurns, type TurnCall } from './turns.ts';

/** The services that the handlers of the Edge Functions use. */
export interface Deps {
  config: Config;
  /** Calls a SQL function as the caller whose credentials are forwarded. The call waits for that caller's turn. */
  rpc: Rpc;
  /** Like `rpc`, but some arguments may be RawJson. */
  rpcWithRawJson: Rpc;
  /** Like `rpc`, but waits for the turn of `caller`, whom the forwarded credentials do not identify. */
  rpcFor: (caller: string) => Rpc;
  /** Like `rpc`, but returns the answer as unparsed text. */
  rpcText: RpcText;
  /** Calls as service role. */
  serviceRpc: Rpc;
  /** Calls as service role, but waits for the turn of `caller`. The arguments are JSON text. */
  serviceRpcFor: (caller: string) => RpcWithJson;
  /** Reads as service role. */
  serviceRead: ReadRows;
}

/** Reads the configuration and makes the database services. */
export function makeDeps(platform: Platform): Deps {
  const config = readConfig(platform.env);
  const { supabaseUrl, restUrl, publicKey } = config;
  const { fetch } = platform;
  const service = asService(config, fetch);
  const forwarded = { restUrl, apikey: publicKey, fetch };
  const rpc = makeRpc(forwarded);
  const rpcWithJson = makeRpcWithJson(forwarded);
  const rpcText = makeRpcText(forwarded);
  const admission = makeAdmission();
  const serviceRpc = makeRpc(service);
  const serviceRpcWithJson = makeRpcWithJson(service);
  const tokens = makeAccessTokens(makePublishedKeys(supabaseUrl, fetch));
  const turnOf = makeTurns(tokens, (shown) => serviceRpc('turn_owners', { shown }));
  const inTurn = async <Result>(call: TurnCall, work: () => Promise<Result>): Promise<Result> => {
    const turn = await turnOf(call);
    try {
      const result = await admission.admit(turn.caller, work);
      await turn.succeed();
      return result;
    } catch (error) {
      turn.fail(error);
      throw error;
    }
  };
  return {
    config,
    rpc: (name, args, headers = {}) => inTurn({ name, args, headers }, () => rpc(name, args, headers)),
    rpcWithRawJson: (name, args, headers = {}) =>
      inTurn({ name, args, headers }, () => rpcWithJson(name, losslessJson(args), headers)),
    rpcFor: (caller) => (name, args, headers) => admission.admit(caller, () => rpc(name, args, headers)),
    rpcText: (name, args, headers = {}) => inTurn({ name, args, headers }, () => rpcText(name, args, headers)),
    serviceRpc,
    serviceRpcFor: (caller) => (name, json) => admission.admit(caller, () => serviceRpcWithJson(name, json)),
    serviceRead: makeReadRows(service),
  };
}
