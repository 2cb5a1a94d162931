import { base58 } from '@scure/base';
import { type Address, address, type Commitment } from '@solana/kit';
import { NodeError } from '../../engine/node.ts';
import type { ChainRpc } from './rpc.ts';

const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/** The byte offset of the addresses in a table's account. Source: solana-sdk, `LOOKUP_TABLE_META_SIZE`. */
const META_BYTES = 56;
const ADDRESS_BYTES = 32;

/** Reads the addresses in a lookup table, in order. Throws a NodeError if the table does not exist. */
export async function readLookupTable(rpc: ChainRpc, table: string, commitment: Commitment): Promise<Address[]> {
  const [account] = await rpc.getMultipleAccounts([table], commitment);
  if (account?.owner !== LOOKUP_TABLE_PROGRAM) throw new NodeError(`there is no lookup table at ${table}`);
  const count = Math.floor((account.data.length - META_BYTES) / ADDRESS_BYTES);
  return Array.from({ length: Math.max(count, 0) }, (_, index) => {
    const start = META_BYTES + index * ADDRESS_BYTES;
    return address(base58.encode(account.data.subarray(start, start + ADDRESS_BYTES)));
  });
}
