import { base64 } from '@scure/base';
import { type Commitment, getTransactionDecoder } from '@solana/kit';
import { lookupName, type Message, readMessage } from '../../../platform/solana_message.ts';
import { pickInstructions, type PlacedInstruction } from '../../../platform/solana_message_changes.ts';
import { readLookupTable } from '../rpc/lookup_table.ts';
import { messageOf } from '../building/message.ts';
import type { ChainRpc, LandedTransaction } from '../rpc/rpc.ts';

/** An instruction with the address and the rights of each account, as the chain executes it. */
interface Resolved {
  index: number;
  program: string;
  data: Uint8Array;
  accounts: { address: string; isSigner: boolean; isWritable: boolean }[];
}

/**
 * Returns a message's instructions without those of the compute budget. `addresses` has the addresses in the message's
 * lookup tables, by lookup name.
 */
function resolve(message: Message, addresses: ReadonlyMap<string, string>): Resolved[] {
  const roles = new Map([...message.accounts, ...message.lookups.map((one) => [lookupName(one), one.role] as const)]);
  return pickInstructions(message, false).map(({ index, program, data, accounts }: PlacedInstruction) => ({
    index,
    program,
    data,
    accounts: accounts.map((name) => {
      const role = roles.get(name) ?? '';
      const [isSigner, isWritable] = [role.endsWith('signer'), role.startsWith('writable')];
      return { address: addresses.get(name) ?? name, isSigner, isWritable };
    }),
  }));
}

/**
 * True if `sent` has the same effect as `wanted`. The accounts of `sent` may have more rights than the accounts of
 * `wanted`.
 */
function doesTheSame(sent: Resolved, wanted: Resolved): boolean {
  return sent.program === wanted.program && base64.encode(sent.data) === base64.encode(wanted.data) &&
    sent.accounts.length === wanted.accounts.length &&
    wanted.accounts.every(({ address, isSigner, isWritable }, at) => {
      const other = sent.accounts[at];
      return other?.address === address && (other.isSigner || !isSigner) && (other.isWritable || !isWritable);
    });
}

/** Reads the addresses in a message's lookup tables, by lookup name. */
async function readLookups(message: Message, rpc: ChainRpc, commitment: Commitment): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  for (const table of new Set(message.lookups.map((lookup) => lookup.table))) {
    const entries = await readLookupTable(rpc, table, commitment);
    entries.forEach((address, index) => addresses.set(lookupName({ table, index }), address));
  }
  return addresses;
}

/**
 * Finds the instructions of a message in a transaction of the chain, and returns their indexes in order. Instructions
 * of the compute budget do not count. Returns undefined if an instruction is missing, changed or out of order. Other
 * instructions may be between those of the message, because wallets add instructions that check the outcome.
 */
export async function findInstructions(
  wantedMessage: string,
  { wire, loadedAddresses }: LandedTransaction,
  rpc: ChainRpc,
  commitment: Commitment,
): Promise<number[] | undefined> {
  const sentMessage = readMessage(new Uint8Array(getTransactionDecoder().decode(wire).messageBytes));
  if (sentMessage === undefined) return undefined;
  const message = messageOf(wantedMessage);
  const wanted = resolve(message, await readLookups(message, rpc, commitment));
  const loaded = new Map(sentMessage.lookups.map((one, at) => [lookupName(one), loadedAddresses[at] ?? '']));
  const sent = resolve(sentMessage, loaded);

  const positions: number[] = [];
  for (const instruction of wanted) {
    const position = sent.find((one) => one.index > (positions.at(-1) ?? -1) && doesTheSame(one, instruction));
    if (position === undefined) return undefined;
    positions.push(position.index);
  }
  return positions;
}
