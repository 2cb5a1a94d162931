import type { Ledger } from './ledger.ts';
import { MIN_CONTEXT_SLOT_NOT_REACHED, RpcError } from './rpc_error.ts';
import { BLOCKHASH_BLOCKS } from './slot_clock.ts';
import type { Config, Json, Params } from './rpc_params.ts';

/** Answers a call, or throws an RpcError. */
export type Method = (ledger: Ledger, params: Params) => Json | Promise<Json>;

export type Methods = { readonly [name: string]: Method };

/** The name of the node's version in answers: of the VM, since no node runs here. */
export const API_VERSION = 'litesvm';

/** Refuses a call that asks for a later slot than there is. */
export function checkMinContextSlot(slot: bigint, config: Config): void {
  const least = config.integer('minContextSlot');
  if (least === undefined || least <= slot) return;
  throw new RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', { contextSlot: slot });
}

/** An answer with the slot that it is true for: the newest one of the commitment that was asked for. */
export function withContext(ledger: Ledger, config: Config, value: Json): Json {
  const slot = ledger.clock.slot(config.commitment());
  checkMinContextSlot(slot, config);
  return { context: { apiVersion: API_VERSION, slot }, value };
}

/** The newest blockhash of the commitment that was asked for, and how long it is good. */
export function latestBlockhash({ clock }: Ledger, config: Config): Json {
  const slot = clock.slot(config.commitment());
  return { blockhash: clock.blockhash(slot), lastValidBlockHeight: clock.blockHeight(slot) + BLOCKHASH_BLOCKS };
}
