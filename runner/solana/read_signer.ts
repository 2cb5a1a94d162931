import { readField, readOptionalField } from '../../types/values/conversion.ts';
import { toWallet } from '../../types/values/keys.ts';
import type { NodeCall } from '../engine/node.ts';
import type { ChainSigner } from './transaction.ts';

/** Reads the wallet in an input. Throws a ConversionError if it is missing or not a wallet. */
export function readSigner(call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>, inputName: string): ChainSigner {
  const wallet = readField(call.inputs, inputName, toWallet);
  return { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}

/** Reads the wallet in an input like `readSigner`; returns undefined if it is missing or `N`. */
export function readOptionalSigner(
  call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>,
  inputName: string,
): ChainSigner | undefined {
  const wallet = readOptionalField(call.inputs, inputName, toWallet);
  return wallet && { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}
