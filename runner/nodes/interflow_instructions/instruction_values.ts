import { isSignerRole, isWritableRole } from '@solana/kit';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { bytesToValue } from '../../../types/values/value.ts';
import { walletToValue } from '../../../types/values/keys.ts';
import type { InstructionSet } from '../../solana/transaction_order.ts';

/** Converts instructions to the outputs of the node: `fee_payer`, `signers` (their wallets) and `instructions`. */
export const instructionsToValues = ({ feePayer, signers, instructions }: InstructionSet): ValueMap => ({
  fee_payer: { B3: feePayer.publicKey },
  signers: { A: signers.map(walletToValue) },
  instructions: {
    A: instructions.map(({ programAddress, accounts = [], data = new Uint8Array() }): Value => ({
      M: {
        program_id: { B3: programAddress },
        accounts: {
          A: accounts.map(({ address, role }) => ({
            M: {
              pubkey: { B3: address },
              is_signer: { B: isSignerRole(role) },
              is_writable: { B: isWritableRole(role) },
            },
          })),
        },
        data: bytesToValue(new Uint8Array(data)),
      },
    })),
  },
});
