import type { Ledger } from './ledger.ts';
import { MIN_CONTEXT_SLOT_NOT_REACHED, RpcError } from './rpc_error.ts';
import { BLOCKHASH_BLOCKS } from './slot_clock.ts';
import type { Params, RpcConfig, RpcJson } from './rpc_params.ts';

/** Answers a call, or throws an RpcError. */
export type Method = (ledger: Ledger, params: Params) => RpcJson | Promise<RpcJson>;

export type Methods = { readonly [name: string]: Method };

/** The version in answers. It names the VM, because no node runs here. */
export const API_VERSION = 'litesvm';

/** Throws an RpcError if a call asks for a slot that the chain has not reached. */
export function checkMinContextSlot(slot: bigint, config: RpcConfig): void {
  const least = config.integer('minContextSlot');
  if (least === undefined || least <= slot) return;
  throw new RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', { contextSlot: slot });
}

/** Makes an answer that names the newest slot at the commitment of the call. */
export function withContext(ledger: Ledger, config: RpcConfig, value: RpcJson): RpcJson {
  const slot = ledger.clock.slot(config.commitment());
  checkMinContextSlot(slot, config);
  return { context: { apiVersion: API_VERSION, slot }, value };
}

/**
 * Returns the newest blockhash at the commitment of the call, and the last block height at which that blockhash is
 * valid.
 */
export function latestBlockhash({ clock }: Ledger, config: RpcConfig): RpcJson {
  const slot = clock.slot(config.commitment());
  return { blockhash: clock.blockhash(slot), lastValidBlockHeight: clock.blockHeight(slot) + BLOCKHASH_BLOCKS };
}
