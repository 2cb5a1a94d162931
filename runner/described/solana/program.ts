import { type Address, address, isAddress } from '@solana/kit';
import type { SolanaImplementation } from '../../../types/described/solana/implementation.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { formText, NodeError } from '../../engine/node.ts';

/** Returns the address of a node's program. The form data may name another one; inputs can't. */
export function programOf({ program }: Pick<SolanaImplementation, 'program'>, formData: LosslessJson): Address {
  const text = formText(formData, 'program') || program.address;
  if (text === undefined) throw new NodeError('the form data must name the program: the description has no address');
  if (!isAddress(text)) throw new NodeError('program: must be a public key in base58');
  return address(text);
}
