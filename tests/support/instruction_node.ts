import {
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { expect } from 'vitest';
import { addressOf } from '../../functions/runner/solana/instruction_nodes.ts';
import type { NodeCall } from '../../functions/runner/engine/node.ts';
import type { BuiltInstructions, InstructionModule } from '../../functions/runner/solana/instruction_module.ts';
import type { InstructionSet } from '../../functions/runner/solana/transaction.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import type { LandedTransaction } from '../../supabase/local/chain/ledger.ts';
import { makeNodeCall } from './node_call.ts';
import type { TestChain } from './solana.ts';

/** A wallet as an input that does not hold its secret key. */
export const walletOf = ({ address }: { address: string }): Value => ({ M: { public_key: { B3: address } } });

/** What a node hands over, on a chain. */
export const build = async (
  module: InstructionModule,
  chain: TestChain,
  inputs: ValueMap,
  given: Partial<NodeCall> = {},
): Promise<BuiltInstructions> =>
  await module.buildInstructions(makeNodeCall(module, { inputs, ...chain.nodeCall(), ...given }));

/** Rows of a table of refused inputs: each of these is missing among inputs that are otherwise good. */
export const missing = (...names: string[]): [message: string, inputs: ValueMap][] =>
  // SAFETY: a field that is undefined is missing to whoever reads it.
  names.map((name) => [`missing field \`${name}\``, { [name]: undefined } as unknown as ValueMap]);

/** Base58 of who signs for instructions, the fee payer only where one of them wants its signature. */
export const signerKeys = ({ instructions }: BuiltInstructions): string[] =>
  instructions.signers.map(({ publicKey }) => publicKey);

/** Gives a signed transaction to the chain, and what became of it; throws what the preflight says. */
export async function land(chain: TestChain, wire: string): Promise<LandedTransaction> {
  const { result, error } = await chain.call('sendTransaction', wire, {
    encoding: 'base64',
    preflightCommitment: 'processed',
  });
  if (error !== undefined) throw new Error([error.message, ...error.data?.logs ?? []].join('\n'));
  return chain.ledger.find(result)!;
}

/**
 * Sends instructions in one v0 transaction, paid by the first one's fee payer. Of the keys at hand only those sign that the
 * instructions ask, and those they ask must be all that the transaction wants.
 */
export async function send(
  chain: TestChain,
  keys: KeyPairSigner[],
  ...built: BuiltInstructions[]
): Promise<LandedTransaction> {
  const sets: InstructionSet[] = built.map(({ instructions }) => instructions);
  const { feePayer } = sets[0]!;
  const blockhash = chain.ledger.clock.blockhash(chain.ledger.clock.slot()) as Blockhash;
  const transaction = compileTransaction(pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(addressOf(feePayer), draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, draft),
    (draft) => appendTransactionMessageInstructions(sets.flatMap(({ instructions }) => instructions), draft),
  ));
  const asked = new Set([feePayer, ...sets.flatMap(({ signers }) => signers)].map(({ publicKey }) => publicKey));
  expect([...asked].toSorted()).toEqual(Object.keys(transaction.signatures).toSorted());
  const signing = keys.filter(({ address }) => asked.has(address)).map(({ keyPair }) => keyPair);
  return await land(chain, getBase64EncodedWireTransaction(await partiallySignTransaction(signing, transaction)));
}
