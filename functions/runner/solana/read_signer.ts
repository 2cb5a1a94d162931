import { readField, readOptionalField } from '../../../types/values/conversion.ts';
import { toWallet } from '../../../types/values/keys.ts';
import type { NodeCall } from '../engine/node.ts';
import type { ChainSigner } from './transaction.ts';

/** The wallet that an input holds; throws a ConversionError when it is missing or not a wallet. */
export function readSigner(call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>, inputName: string): ChainSigner {
  const wallet = readField(call.inputs, inputName, toWallet);
  return { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}

/** As `readSigner`; undefined when the input is missing or `N`. */
export function readOptionalSigner(
  call: Pick<NodeCall, 'inputs' | 'isNamedByFlow'>,
  inputName: string,
): ChainSigner | undefined {
  const wallet = readOptionalField(call.inputs, inputName, toWallet);
  return wallet && { ...wallet, isNamedByFlow: call.isNamedByFlow(inputName, wallet.publicKey) };
}
