import { base64 } from '@scure/base';
import type { SolanaAccount } from '../../../types/described/solana/implementation.ts';
import { readField } from '../../../types/values/conversion.ts';
import { toPubkey } from '../../../types/values/keys.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { type NodeCall, NodeError, type NodeModule, outputTooLarge } from '../../engine/node.ts';
import { makeChainRpc } from '../../solana/rpc/rpc.ts';
import { Codecs, type ValueCodec } from './codec.ts';
import { programOf } from './program.ts';

/** The fewest bytes of a value in an output. */
const SMALLEST_VALUE_BYTES = 8;

function checkMarks({ marks, size, name }: SolanaAccount, bytes: Uint8Array): void {
  const isMarked = marks.every((mark) =>
    base64.decode(mark.bytes).every((byte, at) => bytes[mark.offset + at] === byte)
  );
  if (!isMarked || size !== undefined && bytes.length !== size) {
    throw new NodeError(`the account is no ${name} of the program`);
  }
}

async function readAccount(implementation: SolanaAccount, codec: ValueCodec, call: NodeCall): Promise<ValueMap> {
  const program = programOf(implementation, call.formData);
  const address = readField(call.inputs, 'address', toPubkey);
  // The transaction of an earlier node has this commitment before that node ends.
  const [account] = await makeChainRpc(call).getMultipleAccounts([address], 'confirmed');
  if (account === undefined || account === null) throw new NodeError(`there is no account ${address}`);
  const { data: bytes, lamports, owner } = account;
  if (owner !== program) throw new NodeError(`the account belongs to the program ${owner}, not to ${program}`);
  // So many items would not fit into an output. The codec would read all of them in one turn.
  const mostItems = call.maxOutputBytes / SMALLEST_VALUE_BYTES;
  if (bytes.length > Math.min(call.maxOutputBytes, mostItems * codec.itemBytes)) {
    throw outputTooLarge('the account does not', call.maxOutputBytes);
  }
  checkMarks(implementation, bytes);
  let data;
  try {
    data = codec.decode(bytes);
  } catch (error) {
    throw new NodeError(`the account does not have the form of ${implementation.name}: ${(error as Error).message}`);
  }
  const fields: ValueMap = 'M' in data ? data.M : {};
  const outputs = implementation.outputs.flatMap(({ port, name }) => {
    const value = fields[name];
    return value === undefined ? [] : [[port, value] as const];
  });
  return { ...Object.fromEntries(outputs), data, lamports: { U: String(lamports) } };
}

/** Makes the module that reads accounts of a type. Throws a TypeRefused if the type has no bounds. */
export function accountModule(implementation: SolanaAccount, definition: NodeModule['definition']): NodeModule {
  const codec = new Codecs(implementation.types).codec(implementation.data);
  return { definition, run: (call) => readAccount(implementation, codec, call) };
}
