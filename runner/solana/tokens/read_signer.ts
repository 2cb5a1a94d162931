import { readField, readOptionalField } from '../../../types/values/conversion.ts';
import { toWallet } from '../../../types/values/keys.ts';
import type { NodeCall } from '../../engine/node.ts';
import type { ChainSigner } from '../transaction_order.ts';

/** Reads the wallet in an input. Throws a ConversionError if the input is missing or not a wallet. */
export function readSigner(call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>, inputName: string): ChainSigner {
  const wallet = readField(call.inputs, inputName, toWallet);
  return { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}

/** Reads the wallet in an input as `readSigner` does, but returns undefined if the input is missing or `N` (null). */
export function readOptionalSigner(
  call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>,
  inputName: string,
): ChainSigner | undefined {
  const wallet = readOptionalField(call.inputs, inputName, toWallet);
  return wallet && { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}
