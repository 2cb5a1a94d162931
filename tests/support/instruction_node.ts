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
import { addressOf } from '../../runner/solana/building/instruction_nodes.ts';
import type { NodeCall } from '../../runner/engine/node.ts';
import type { BuiltInstructions, InstructionModule } from '../../runner/solana/building/instruction_module.ts';
import type { InstructionSet } from '../../runner/solana/transaction_order.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import type { LedgerTransaction } from '../../dev/chain/ledger.ts';
import { makeNodeCall } from './node_call.ts';
import type { TestChain } from './solana.ts';

/** Makes an input for a wallet without its secret key. */
export const walletOf = ({ address }: { address: string }): Value => ({ M: { public_key: { B3: address } } });

/** Builds the instructions of a node whose run uses this chain. */
export const build = async (
  module: InstructionModule,
  chain: TestChain,
  inputs: ValueMap,
  given: Partial<NodeCall> = {},
): Promise<BuiltInstructions> =>
  await module.buildInstructions(makeNodeCall(module, { inputs, ...chain.nodeCall(), ...given }));

/** Makes rows for a table of refused inputs. In each row, one of these inputs is missing. */
export const missing = (...names: string[]): [message: string, inputs: ValueMap][] =>
  // SAFETY: readers treat a field that is undefined as missing.
  names.map((name) => [`missing field \`${name}\``, { [name]: undefined } as unknown as ValueMap]);

/**
 * Returns the base58 keys of the signers of instructions. The fee payer is among them only if an instruction needs its
 * signature.
 */
export const signerKeys = ({ instructions }: BuiltInstructions): string[] =>
  instructions.signers.map(({ publicKey }) => publicKey);

/** Sends a signed transaction to the chain and returns its result. Throws the error of the preflight. */
export async function land(chain: TestChain, wire: string): Promise<LedgerTransaction> {
  const { result, error } = await chain.call('sendTransaction', wire, {
    encoding: 'base64',
    preflightCommitment: 'processed',
  });
  if (error !== undefined) throw new Error([error.message, ...error.data?.logs ?? []].join('\n'));
  return chain.ledger.find(result)!;
}

/**
 * Sends instructions in one v0 transaction. The fee payer of the first set of instructions pays. Only the keys whose
 * signatures the instructions need sign. Fails if the transaction needs another signature.
 */
export async function send(
  chain: TestChain,
  keys: KeyPairSigner[],
  ...built: BuiltInstructions[]
): Promise<LedgerTransaction> {
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
