import { SLOTS_PER_EPOCH } from './ledger.ts';
import { checkBase58 } from './rpc_params.ts';
import {
  API_VERSION,
  checkMinContextSlot,
  latestBlockhash,
  type Method,
  type Methods,
  withContext,
} from './rpc_method.ts';

const getSlot: Method = ({ clock }, params) => {
  const slot = clock.slot(params.config(0).commitment());
  checkMinContextSlot(slot, params.config(0));
  return slot;
};

/** The RPC methods for blocks and for the node itself. Source: Solana documentation, "RPC HTTP methods". */
export const blockMethods: Methods = {
  getSlot,

  getBlockHeight: ({ clock }, params) => clock.blockHeight(clock.slot(params.config(0).commitment())),

  getLatestBlockhash(ledger, params) {
    const config = params.config(0);
    return withContext(ledger, config, latestBlockhash(ledger, config));
  },

  isBlockhashValid(ledger, params) {
    const config = params.config(1);
    const blockhash = checkBase58(params.text(0), 32);
    const isValid = ledger.clock.slotOfBlockhash(blockhash, config.commitment()) !== undefined;
    return withContext(ledger, config, isValid);
  },

  getEpochInfo({ clock, landed }, params) {
    const config = params.config(0);
    const slot = clock.slot(config.commitment());
    checkMinContextSlot(slot, config);
    return {
      absoluteSlot: slot,
      blockHeight: clock.blockHeight(slot),
      epoch: slot / SLOTS_PER_EPOCH,
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: BigInt(landed.length),
    };
  },

  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0n }),

  getHealth: () => 'ok',
};
