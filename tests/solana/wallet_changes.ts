import { base64 } from '@scure/base';
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';

type Message = Extract<CompiledTransactionMessage, { version: 0 }> & CompiledTransactionMessageWithLifetime;

/** Adds an instruction of a new program at the front of a message, in base64, as wallets do. */
export function addInstruction(message: string, program: string, data: Uint8Array): string {
  const { header, staticAccounts, instructions, ...rest } = getCompiledTransactionMessageDecoder().decode(
    base64.decode(message),
  ) as Message;
  if (staticAccounts.includes(program as Address)) throw new Error(`the message names ${program} already`);
  const changed = {
    ...rest,
    header: { ...header, numReadonlyNonSignerAccounts: header.numReadonlyNonSignerAccounts + 1 },
    staticAccounts: [...staticAccounts, program as Address],
    instructions: [{ programAddressIndex: staticAccounts.length, data }, ...instructions],
  };
  return base64.encode(new Uint8Array(getCompiledTransactionMessageEncoder().encode(changed)));
}

/** Adds SetComputeUnitPrice, with a u64 of micro-lamports. */
export function addPrice(message: string, microLamports: bigint): string {
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setBigUint64(1, microLamports, true);
  return addInstruction(message, COMPUTE_BUDGET_PROGRAM_ADDRESS, data);
}
