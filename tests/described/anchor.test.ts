import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { base58, base64 } from '@scure/base';
import { expect, test } from 'vitest';
import { describeIdl } from '../../client/describing/index.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { makeModule } from '../../runner/described/solana/index.ts';
import type { InstructionModule } from '../../runner/solana/building/instruction_module.ts';
import type { SolanaInstruction } from '../../types/described/solana/implementation.ts';
import type { EnumNode, StructNode, TypeNode } from '../../types/described/solana/type_node.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { freeze } from '../support/idls/read_idl.ts';
import { walletOf } from '../support/instruction_node.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { makeNodeCall } from '../support/node_call.ts';

// oxlint-disable typescript/no-explicit-any -- the libraries are loaded only here, without their types
type Any = any;

/** A value in the form of a node's input, and in the form of another library. */
interface Pair {
  value: Value;
  theirs: Any;
}

/** The forms in which a library takes values. */
interface Library {
  key: (base58: string) => Any;
  big: (digits: string) => Any;
  bytes: (bytes: Uint8Array, isFixed: boolean) => Any;
  variant: (name: string, index: number, fields: Any, type: EnumNode) => Any;
}

let state = 1;
/** Returns a number below `most`; the same numbers in every run. */
const random = (most: number): number => {
  state = state * 48_271 % 2_147_483_647;
  return state % most;
};
const randomBytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random(256));
const randomKey = (): string => base58.encode(randomBytes(32));

const camel = (snake: string): string => snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** The name of a port in the IDL: a name that another port has gets its place. */
const idlName = (port: string): string => camel(port.replace(/_(argument|account)$/, ''));
const pascal = (snake: string): string => camel(snake).replace(/^./, (letter) => letter.toUpperCase());

/** Generates values of the types of one implementation. */
class Generator {
  readonly #types: ReadonlyMap<string, TypeNode>;
  readonly #library: Library;

  constructor({ types }: SolanaInstruction, library: Library) {
    this.#types = new Map(types.map(({ name, type }) => [name, type]));
    this.#library = library;
  }

  struct({ fields }: StructNode): { value: ValueMap; theirs: Any } {
    const pairs = fields.map(({ name, type }) => [name, this.make(type)] as const);
    return {
      value: Object.fromEntries(pairs.map(([name, { value }]) => [name, value])),
      theirs: Object.fromEntries(pairs.map(([name, { theirs }]) => [camel(name), theirs])),
    };
  }

  make(type: TypeNode, isFixed = false): Pair {
    const { key, big, bytes, variant } = this.#library;
    switch (type.kind) {
      case 'numberTypeNode': {
        if (type.format === 'f32' || type.format === 'f64') return { value: { F: '0.5' }, theirs: 0.5 };
        const bits = Number(type.format.replace(/\D+/, '')) - (type.format.startsWith('i') ? 1 : 0);
        const number = randomBytes(16).reduce((sum, byte) => sum << 8n | BigInt(byte), 0n) & (1n << BigInt(bits)) - 1n;
        const value: Value = bits > 64 ? { U1: String(number) } : { U: String(number) };
        return { value, theirs: bits > 48 ? big(String(number)) : Number(number) };
      }
      case 'booleanTypeNode': {
        const is = random(2) === 1;
        return { value: { B: is }, theirs: is };
      }
      case 'publicKeyTypeNode': {
        const made = randomKey();
        return { value: { B3: made }, theirs: key(made) };
      }
      case 'bytesTypeNode': {
        const made = randomBytes(random(9));
        return { value: { BY: base64.encode(made) }, theirs: bytes(made, false) };
      }
      case 'stringTypeNode': {
        const text = ['', 'abc', 'für 🥨'][random(3)]!;
        return { value: { S: text }, theirs: text };
      }
      case 'fixedSizeTypeNode': {
        if (type.type.kind !== 'bytesTypeNode') return this.make(type.type, true);
        const made = randomBytes(type.size);
        return { value: { A: [...made].map((byte) => ({ U: String(byte) })) }, theirs: bytes(made, true) };
      }
      case 'sizePrefixTypeNode':
        return this.make(type.type, isFixed);
      case 'arrayTypeNode': {
        const length = type.count.kind === 'fixedCountNode' ? type.count.value : random(4);
        return this.#list(Array.from({ length }, () => type.item));
      }
      case 'tupleTypeNode':
        return this.#list(type.items);
      case 'optionTypeNode':
        return random(2) === 0 ? { value: { N: 0 }, theirs: null } : this.make(type.item);
      case 'structTypeNode': {
        const { value, theirs } = this.struct(type);
        return { value: { M: value }, theirs };
      }
      case 'enumTypeNode': {
        const index = random(type.variants.length);
        const chosen = type.variants[index]!;
        const { name } = chosen;
        if (chosen.kind === 'enumEmptyVariantTypeNode') {
          return { value: { S: name }, theirs: variant(name, index, {}, type) };
        }
        const { value, theirs } = this.make(chosen.kind === 'enumStructVariantTypeNode' ? chosen.struct : chosen.tuple);
        return { value: { M: { [name]: value } }, theirs: variant(name, index, theirs, type) };
      }
      case 'definedTypeLinkNode':
        return this.make(this.#types.get(type.name)!);
      default:
        throw new Error(`no values of ${type.kind} are generated`);
    }
  }

  #list(types: readonly TypeNode[]): Pair {
    const pairs = types.map((type) => this.make(type));
    return { value: { A: pairs.map(({ value }) => value) }, theirs: pairs.map(({ theirs }) => theirs) };
  }
}

/** Generates the arguments of an instruction: the inputs, and the arguments of the library by name and in order. */
function makeArguments(implementation: SolanaInstruction, library: Library) {
  const generator = new Generator(implementation, library);
  const inputs: ValueMap = {};
  const theirs: Record<string, Any> = {};
  for (const argument of implementation.arguments) {
    if ('bytes' in argument) continue;
    const made = generator.make(argument.type);
    inputs[argument.port] = made.value;
    theirs[idlName(argument.port)] = made.theirs;
  }
  return { inputs, theirs };
}

/** Makes keys for the accounts that have no default. */
function makeAccounts({ accounts }: SolanaInstruction) {
  const inputs: ValueMap = {};
  const keys: Record<string, string> = {};
  for (const { port, signer, default: known } of accounts) {
    if (known !== undefined) continue;
    const key = randomKey();
    keys[camel(port)] = key;
    inputs[port] = signer === false ? { B3: key } : walletOf({ address: key });
  }
  return { inputs, keys };
}

/** Builds an instruction as the runner does: its data and its accounts, by output. */
async function build(module: InstructionModule, inputs: ValueMap) {
  const given = { fee_payer: walletOf({ address: randomKey() }), ...inputs };
  const { instructions, outputs } = await module.buildInstructions(makeNodeCall(module, { inputs: given }));
  return { data: Buffer.from(instructions.instructions[0]!.data!).toString('hex'), outputs };
}

const CASES = [
  { name: '@pump-fun/pump-sdk', version: '2.0.0', file: 'src/idl/pump.json', atLeast: 20 },
  { name: '@pump-fun/pump-sdk', version: '2.0.0', file: 'src/idl/pump_amm.json', atLeast: 15 },
  { name: '@pump-fun/pump-sdk', version: '2.0.0', file: 'src/idl/pump_fees.json', atLeast: 10 },
  { name: '@orca-so/whirlpools-sdk', version: '0.22.0', file: 'dist/artifacts/whirlpool.json', atLeast: 50 },
];
const ROUNDS = 5;

test.runIf(runsLongTests).each(CASES)(
  'the instructions of $name, $file, have the bytes and derived addresses of @coral-xyz/anchor',
  async ({ name, version, file, atLeast }) => {
    const text = readFileSync(join(fetchPackage(name.split('/')[1]!, name, version), file), 'utf8');
    const require = createRequire(join(fetchPackage('coral-anchor', '@coral-xyz/anchor', '0.32.1'), 'package.json'));
    const anchor: Any = require('@coral-xyz/anchor');
    const library: Library = {
      key: (key) => new anchor.web3.PublicKey(key),
      big: (digits) => new anchor.BN(digits),
      bytes: (bytes, isFixed) => isFixed ? [...bytes] : Buffer.from(bytes),
      variant: (variant, _index, fields) => ({ [camel(variant)]: fields }),
    };
    const provider = { connection: { getAccountInfo: async () => null }, publicKey: library.key(randomKey()) };
    const program: Any = new anchor.Program(JSON.parse(text), provider);
    const { definitions, refused } = await describeIdl(text);
    const counts = { instructions: 0, accounts: 0, data: 0, derived: 0, unresolved: 0, refused: refused.length };
    for (const definition of definitions) {
      const implementation = definition.data.implementation as SolanaInstruction;
      if (implementation.kind !== 'instruction') {
        counts.accounts += 1;
        continue;
      }
      counts.instructions += 1;
      const method = camel(implementation.name);
      const idl = program.idl.instructions.find((one: Any) => one.name.toLowerCase() === method.toLowerCase());
      const module = makeModule(freeze(definition)) as InstructionModule;
      for (let round = 0; round < ROUNDS; round++) {
        const args = makeArguments(implementation, library);
        const accounts = makeAccounts(implementation);
        const isUnwrapped = idl.args.length === 1 && !Object.hasOwn(args.theirs, idl.args[0].name);
        const given = isUnwrapped ? [args.theirs] : idl.args.map((arg: Any) => args.theirs[arg.name]);
        const made = await build(module, { ...args.inputs, ...accounts.inputs });
        const named = Object.fromEntries(idl.args.map((arg: Any, index: number) => [arg.name, given[index]]));
        expect(made.data, method).toBe(program.coder.instruction.encode(idl.name, named).toString('hex'));
        counts.data += 1;
        const keys = Object.fromEntries(Object.entries(accounts.keys).map(([port, key]) => [port, library.key(key)]));
        const builder = program.methods[idl.name](...given).accountsPartial(keys);
        const resolved = await builder.pubkeys().catch((error: Error) => {
          if (!error.message.includes('Unresolved accounts')) throw error;
          counts.unresolved += 1;
          return {};
        });
        for (const { port, default: known } of implementation.accounts) {
          if (known === undefined || !('seeds' in known) || resolved[camel(port)] === undefined) continue;
          expect(made.outputs[port], `${method}.${port}`).toEqual({ B3: resolved[camel(port)].toBase58() });
          counts.derived += 1;
        }
      }
    }
    console.log(file, JSON.stringify(counts), JSON.stringify(refused.slice(0, 5)));
    expect(counts.instructions).toBeGreaterThan(atLeast);
    expect(counts.derived).toBeGreaterThan(0);
  },
  600_000,
);

test.runIf(runsLongTests)(
  'the instructions of @sqds/multisig, an older IDL, have the bytes of its own package',
  async () => {
    const dir = fetchPackage('sqds-multisig', '@sqds/multisig', '2.1.4');
    const text = readFileSync(join(dir, 'idl/squads_multisig_program.json'), 'utf8');
    const require = createRequire(join(dir, 'package.json'));
    const { PublicKey }: Any = require('@solana/web3.js');
    const { generated }: Any = require(dir);
    const library: Library = {
      key: (key) => new PublicKey(key),
      big: (digits) => BigInt(digits),
      bytes: (bytes, isFixed) => isFixed ? [...bytes] : bytes,
      variant: (variant, index, fields, { variants }) =>
        variants.every(({ kind }) => kind === 'enumEmptyVariantTypeNode')
          ? index
          : { __kind: pascal(variant), ...Array.isArray(fields) ? { fields } : fields },
    };
    const { definitions, refused } = await describeIdl(text);
    const counts = { instructions: 0, data: 0, refused: refused.length };
    for (const definition of definitions) {
      const implementation = definition.data.implementation as SolanaInstruction;
      if (implementation.kind !== 'instruction') continue;
      const method = camel(implementation.name);
      const struct = generated[`${method}Struct`];
      expect(struct, method).toBeDefined();
      counts.instructions += 1;
      const module = makeModule(freeze(definition)) as InstructionModule;
      const idl = JSON.parse(text).instructions.find((one: Any) => one.name.toLowerCase() === method.toLowerCase());
      for (let round = 0; round < ROUNDS; round++) {
        const args = makeArguments(implementation, library);
        const isUnwrapped = idl.args.length === 1 && !Object.hasOwn(args.theirs, idl.args[0].name);
        const given = isUnwrapped ? { [idl.args[0].name]: args.theirs } : args.theirs;
        const instructionDiscriminator = generated[`${method}InstructionDiscriminator`];
        const [theirs] = struct.serialize({ instructionDiscriminator, ...given });
        const made = await build(module, { ...args.inputs, ...makeAccounts(implementation).inputs });
        expect(made.data, method).toBe(theirs.toString('hex'));
        counts.data += 1;
      }
    }
    console.log('squads_multisig_program.json', JSON.stringify(counts), JSON.stringify(refused));
    expect(counts.instructions).toBeGreaterThan(20);
  },
  600_000,
);
