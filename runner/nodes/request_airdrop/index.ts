import { readField, readOptionalField, toInteger } from '../../../types/values/conversion.ts';
import { toPubkey } from '../../../types/values/keys.ts';
import { makeChainRpc } from '../../solana/rpc/rpc.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** 1 SOL. */
const DEFAULT_LAMPORTS = 1_000_000_000n;

const toLamports = toInteger('u64');

/** Requests lamports from a test network, and outputs the signature of the transaction that brings them. */
export const requestAirdropNode: NodeModule = {
  definition,
  run: async (call) => {
    const address = readField(call.inputs, 'pubkey', toPubkey);
    const lamports = readOptionalField(call.inputs, 'amount', toLamports) ?? DEFAULT_LAMPORTS;
    return { signature: { B6: await makeChainRpc(call).requestAirdrop(address, lamports) } };
  },
};
