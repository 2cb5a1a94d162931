import {
  type Address,
  address,
  createNoopSigner,
  type Instruction,
  isSignerRole,
  type TransactionSigner,
} from '@solana/kit';
import type { Value } from '../../../types/values/value.ts';
import { toPubkey } from '../../../types/values/keys.ts';
import type { ChainSigner, InstructionSet } from './transaction.ts';
import { uniteSigners } from './instruction_set.ts';

/** As `toPubkey`, for what kit's instructions take. */
export const toAddress = (value: Value): Address => address(toPubkey(value));

export const addressOf = ({ publicKey }: ChainSigner): Address => address(publicKey);

/** Stands for a wallet where an instruction wants its signature; who signs in the end is not the instruction's business. */
export const signatureOf = (wallet: ChainSigner): TransactionSigner => createNoopSigner(addressOf(wallet));

/** Instructions hold no signer objects: two for one address would be an error when they are signed. */
const withoutSigners = ({ accounts, ...instruction }: Instruction): Instruction => ({
  ...instruction,
  accounts: (accounts ?? []).map(({ address, role }) => ({ address, role })),
});

/** Instructions and who signs them: of these wallets those that an instruction wants a signature of, each once. */
export function makeInstructionSet(
  feePayer: ChainSigner,
  wallets: ChainSigner[],
  instructions: Instruction[],
): InstructionSet {
  const byKey = uniteSigners([feePayer, ...wallets]);
  const wanted = new Set<string>(
    instructions.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => isSignerRole(role)))
      .map((account) => account.address),
  );
  for (const key of wanted) {
    if (!byKey.has(key)) throw new Error(`an instruction wants a signature of ${key}, no input`);
  }
  return {
    feePayer: byKey.get(feePayer.publicKey) ?? feePayer,
    signers: [...byKey.values()].filter(({ publicKey }) => wanted.has(publicKey)),
    instructions: instructions.map(withoutSigners),
  };
}
