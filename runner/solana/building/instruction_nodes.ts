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
import type { ChainSigner, InstructionSet } from '../transaction_order.ts';
import { uniteSigners } from './instruction_set.ts';

/** Converts a value to an address, in the type that kit's instructions take. */
export const toAddress = (value: Value): Address => address(toPubkey(value));

export const addressOf = ({ publicKey }: ChainSigner): Address => address(publicKey);

/** Makes the placeholder for the signature of a wallet in an instruction. The real signature is made later. */
export const signatureOf = (wallet: ChainSigner): TransactionSigner => createNoopSigner(addressOf(wallet));

/**
 * Removes the signer objects from an instruction. If one address had two different signer objects, signing would fail.
 */
const withoutSigners = ({ accounts, ...instruction }: Instruction): Instruction => ({
  ...instruction,
  accounts: (accounts ?? []).map(({ address, role }) => ({ address, role })),
});

/** Makes a set of instructions with the wallets whose signatures they need. Each wallet is listed once. */
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
    if (!byKey.has(key)) throw new Error(`an instruction wants a signature of ${key}, which is not among the inputs`);
  }
  return {
    feePayer: byKey.get(feePayer.publicKey) ?? feePayer,
    signers: [...byKey.values()].filter(({ publicKey }) => wanted.has(publicKey)),
    instructions: instructions.map(withoutSigners),
  };
}
