import { readField } from '../../../types/values/conversion.ts';
import { toPubkey } from '../../../types/values/keys.ts';
import { makeChainRpc } from '../../solana/rpc/rpc.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads the balance of an account, in lamports. */
export const getBalanceNode: NodeModule = {
  definition,
  run: async (call) => {
    const address = readField(call.inputs, 'pubkey', toPubkey);
    // The transaction of an earlier node has this commitment before that node ends, so the balance includes the
    // transaction.
    const balance = await makeChainRpc(call).getBalance(address, 'confirmed');
    return { balance: { U: String(balance) } };
  },
};
