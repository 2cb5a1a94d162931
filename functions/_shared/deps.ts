import { makeAccessTokens } from './access_tokens.ts';
import { makeAdmission } from '../../platform/admission.ts';
import type { Config } from '../../platform/config.ts';
import { readConfig } from '../../platform/config.ts';
import { asService, makeReadRows, makeRpc, type ReadRows } from '../../platform/database/rpc.ts';
import type { Platform } from './edge_platform.ts';
import { makePublishedKeys } from './published_keys.ts';
import { makeTurns, type TurnCall } from './turns.ts';

/** Like `Rpc`, but the call waits for a turn (admission.ts). */
type RpcInTurn = <Result>(
  name: string,
  args: object,
  headers?: Record<string, string>,
  /** Whose turn the call waits for. */
  options?: { isText?: boolean; turnOf?: string },
) => Promise<Result>;

/** The services that the handlers of the Edge Functions use. */
export interface Deps {
  config: Config;
  /**
   * Calls a SQL function as the caller whose credentials are forwarded. The call waits for that caller's turn, unless
   * the options name another.
   */
  rpc: RpcInTurn;
  /** Calls as service role. The call waits for a turn only if the options name one. */
  serviceRpc: RpcInTurn;
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
  const admission = makeAdmission();
  const serviceRpc = makeRpc(service);
  const tokens = makeAccessTokens(makePublishedKeys(supabaseUrl, fetch));
  const findTurn = makeTurns(tokens, (shown) => serviceRpc('turn_owners', { shown }));
  const inTurn = async <Result>(call: TurnCall, work: () => Promise<Result>): Promise<Result> => {
    const turn = await findTurn(call);
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
    rpc: (name, args, headers = {}, { turnOf, ...options } = {}) => {
      const call = () => rpc<never>(name, args, headers, options);
      return turnOf === undefined ? inTurn({ name, args, headers }, call) : admission.admit(turnOf, call);
    },
    serviceRpc: (name, args, headers, { turnOf, ...options } = {}) => {
      const call = () => serviceRpc<never>(name, args, headers, options);
      return turnOf === undefined ? call() : admission.admit(turnOf, call);
    },
    serviceRead: makeReadRows(service),
  };
}
