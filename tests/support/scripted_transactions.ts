import type { Address } from '@solana/kit';
import { base58, base64 } from '@scure/base';
import { type NativeNodes, type NodeCall, NodeError } from '../../runner/engine/node.ts';
import type { BuiltInstructions, InstructionModule } from '../../runner/solana/building/instruction_module.ts';
import type {
  ChainSigner,
  TransactionOrder,
  TransactionRecord,
  Transactions,
  TransactionStore,
} from '../../runner/solana/transaction_order.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { readFieldOr, toText } from '../../types/values/conversion.ts';
import { testNode } from './execute_flow.ts';

const nameOf = ({ inputs }: Pick<NodeCall, 'inputs'>): string => readFieldOr(inputs, 'name', '', toText);

const signerOf = (publicKey: string): ChainSigner => ({ type: 'adapter', publicKey, isNamedByFlow: false });

/**
 * An instruction node for tests without a chain. It makes one instruction, which has the node's `name` and whose fee
 * payer is `payer`. It outputs `made` at once and passes `in` on. If `in` is "bad", it fails.
 */
export const instructionNode: InstructionModule = {
  definition:
    testNode(['name', 'payer?', 'in?»', 'submit?'], ['made', 'signature'], () => ({}), { effects: 'once' }).definition,
  buildInstructions: ({ inputs }): BuiltInstructions => {
    if (inputs.in !== undefined && 'S' in inputs.in && inputs.in.S === 'bad') {
      throw new NodeError('there is no instruction');
    }
    const name = nameOf({ inputs });
    const feePayer = signerOf(readFieldOr(inputs, 'payer', 'Ann', toText));
    const instructions = [{ programAddress: name as Address }];
    return { instructions: { feePayer, signers: [feePayer], instructions }, outputs: { made: { S: `made ${name}` } } };
  },
};

/** The project's nodes, and the instruction node as `test_instruction`. */
export const instructionRegistry: NativeNodes = (nodeId) =>
  nodeId === 'test_instruction' ? instructionNode : nodeRegistry(nodeId);

/**
 * A registry of the same nodes, in which all instruction nodes fail to make instructions; with `name`, only those of
 * this name.
 */
export const failingRegistry = (message: string, name?: string): NativeNodes => (nodeId) =>
  nodeId !== 'test_instruction' ? nodeRegistry(nodeId) : {
    ...instructionNode,
    buildInstructions: (call) => {
      if (name === undefined || nameOf(call) === name) throw new Error(message);
      return instructionNode.buildInstructions(call);
    },
  };

/** Makes a readable signature: 64 bytes that hold the text. */
export const signatureOf = (text: string): string =>
  base58.encode(new TextEncoder().encode(text.padEnd(64).slice(0, 64)));

/**
 * Makes the record of a transaction. As its message and its bytes, the record has the names of the instructions,
 * separated by spaces.
 */
export function recordOf({ members, chargesFees }: TransactionOrder): TransactionRecord {
  const [first] = members;
  if (first === undefined) throw new Error('the transaction has no members');
  const names = members.map(({ instructions }) => instructions?.instructions[0]?.programAddress ?? '');
  return {
    ...first.execution,
    members: members.map(({ execution }) => ({ ...execution, instruction_count: 1 })),
    message: names.join(' '),
    wire: base64.encode(new Uint8Array([1, ...base58.decode(signatureOf(names.join('+')))])),
    memo: null,
    has_fees: chargesFees,
    slot: '1',
    last_valid_block_height: '1',
  };
}

/**
 * Stores, executes and logs each transaction at once. A transaction with an instruction named "fails" fails. If a
 * transaction is stored already, continues it unchanged.
 */
export const scriptTransactions = (store: TransactionStore): Transactions => ({
  execute: async (order) => {
    const { stored } = order;
    // A transaction that waited for signatures has all of them now.
    const record = stored?.wire == null ? { ...recordOf(order), ...stored, wire: recordOf(order).wire } : stored;
    if (stored?.wire == null) {
      const payer = order.members[0]?.instructions?.feePayer.publicKey;
      order.log('Info', `${payer} pays for ${record.message}${record.has_fees ? ' and the fees' : ''}`);
      await store.store(record, []);
    }
    const names = record.message.split(' ');
    const signature = signatureOf(names.join('+'));
    if (names.includes('fails')) {
      const errors = names.map((name) => name === 'fails' ? 'it fails' : 'transaction simulation failed');
      return { status: 'failed', errors, signature };
    }
    return { status: 'confirmed', signature, hasFees: record.has_fees };
  },
});
