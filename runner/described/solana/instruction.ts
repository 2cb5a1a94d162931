import { base64 } from '@scure/base';
import type { InstructionArgument, SolanaInstruction } from '../../../types/described/solana/implementation.ts';
import { readField } from '../../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import type { NodeCall, NodeModule } from '../../engine/node.ts';
import type { BuiltInstructions, InstructionModule } from '../../solana/building/instruction_module.ts';
import { makeInstructionSet } from '../../solana/building/instruction_nodes.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import { Accounts, type SeedCodecs } from './accounts.ts';
import { Codecs, type ValueCodec } from './codec.ts';
import { nameError } from './program_errors.ts';
import { programOf } from './program.ts';

const NULL: Value = { N: 0 };

/** Writes one argument of the instruction's data. */
type WriteArgument = (inputs: ValueMap) => Uint8Array;

function writerOf(argument: InstructionArgument, codecs: Codecs): WriteArgument {
  if ('bytes' in argument) return () => base64.decode(argument.bytes);
  const { port, type, default: given } = argument;
  const codec: ValueCodec = codecs.codec(type);
  const isOption = codecs.isOption(type);
  return (inputs) => {
    const value = inputs[port] ?? (isOption ? NULL : undefined);
    if (given !== undefined && (value === undefined || 'N' in value)) return base64.decode(given);
    return readField(value === undefined ? {} : { [port]: value }, port, codec.encode);
  };
}

/** Makes the codecs of the arguments that are seeds of derived addresses. */
function seedCodecsOf({ accounts }: SolanaInstruction, codecs: Codecs): SeedCodecs {
  const seeds = accounts.flatMap(({ default: known }) => known !== undefined && 'seeds' in known ? known.seeds : []);
  return new Map(seeds.flatMap((seed) => 'argument' in seed ? [[seed, codecs.codec(seed.type)] as const] : []));
}

async function build(
  implementation: SolanaInstruction,
  seedCodecs: SeedCodecs,
  writers: readonly WriteArgument[],
  call: NodeCall,
): Promise<BuiltInstructions> {
  const programAddress = programOf(implementation, call.formData);
  const feePayer = readSigner(call, 'fee_payer');
  const accounts = await new Accounts(implementation, call, { program: programAddress, feePayer, seedCodecs }).all();
  const data = new Uint8Array(writers.flatMap((write) => [...write(call.inputs)]));
  const wallets = accounts.flatMap(({ wallet }) => wallet ?? []);
  const instruction = { programAddress, accounts: accounts.map(({ meta }) => meta), data };
  const outputs = accounts.flatMap(({ port, meta }): [string, Value][] =>
    port === undefined ? [] : [[port, { B3: meta.address }]]
  );
  return {
    instructions: makeInstructionSet(feePayer, wallets, [instruction]),
    outputs: Object.fromEntries(outputs),
  };
}

/** Makes the module of an instruction. Throws a TypeRefused if its types have no bounds. */
export function instructionModule(
  implementation: SolanaInstruction,
  definition: NodeModule['definition'],
): InstructionModule {
  const codecs = new Codecs(implementation.types);
  const writers = implementation.arguments.map((argument) => writerOf(argument, codecs));
  const seedCodecs = seedCodecsOf(implementation, codecs);
  return {
    definition,
    buildInstructions: (call) => build(implementation, seedCodecs, writers, call),
    nameError: (message, formData) => nameError(message, programOf(implementation, formData), implementation.errors),
  };
}
