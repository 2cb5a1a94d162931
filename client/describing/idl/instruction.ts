import type { InstructionArgument, SolanaInstruction } from '../../../types/described/solana/implementation.ts';
import type { TypeNode } from '../../../types/described/solana/type_node.ts';
import { type DescribedJson, listOf, objectOf, OperationRefused } from '../documents.ts';
import type { DescribedPorts } from '../ports.ts';
import { KnownAddresses, nameOf } from './addresses.ts';
import { constantBytes, MAX_CONSTANT_BYTES, toBase64 } from './constants.ts';
import { Names } from '../names.ts';
import { docsOf, programOf, type ProgramReading } from './reading.ts';
import { portOf, TypeReader } from './types.ts';

const MAX_TOOLTIP = 300;

/** The ports that each instruction has. */
const OWN_PORTS = ['fee_payer', 'remaining_accounts', 'submit', 'signature', 'error', 'program'];

const FEE_PAYER = {
  name: 'fee_payer',
  type_bounds: ['keypair'],
  required: true,
  passthrough: true,
  tooltip: 'The wallet that pays the fee of the transaction',
};
const REMAINING = {
  name: 'remaining_accounts',
  type_bounds: ['array'],
  required: false,
  passthrough: false,
  tooltip: 'More accounts: public keys, or objects with account, signer and writable. Wallets sign.',
};
const SUBMIT = {
  name: 'submit',
  type_bounds: ['bool'],
  required: false,
  passthrough: false,
  tooltip: 'False: the node builds no instructions. The default is true.',
};

/** An argument of an instruction, with its type. */
interface ReadArgument {
  json: DescribedJson;
  type: TypeNode;
}

/** Describes the default of an account in the tooltip. */
function defaultText(given: SolanaInstruction['accounts'][number]['default']): string {
  if (given === undefined) return '';
  if ('seeds' in given) return 'The default is derived from the other inputs.';
  if ('address' in given) return `The default is ${given.address}.`;
  if ('account' in given) return `The default is ${given.account}.`;
  if ('argument' in given) return `The default is ${given.argument}.`;
  return 'fee_payer' in given ? 'The default is fee_payer.' : 'The default is the program.';
}

/** Reads an instruction of a program. */
export class InstructionReader {
  readonly #reading: ProgramReading;
  readonly #types: TypeReader;
  readonly #names = new Names(OWN_PORTS);
  readonly ports: DescribedPorts = { targets: [FEE_PAYER], sources: [{ name: 'signature', type: 'signature' }] };

  constructor(reading: ProgramReading) {
    this.#reading = reading;
    this.#types = new TypeReader(reading.program, reading.known);
  }

  /** Reads the whole instruction. Throws an OperationRefused. */
  read(name: string, node: DescribedJson): SolanaInstruction {
    const accounts = listOf(node.accounts).map((account) => objectOf(account));
    const args = this.#arguments(node);
    const accountPorts = new Map(accounts.map((account) => {
      const known = nameOf(account);
      return [known, this.#names.take(known, 'account')];
    }));
    const argumentPorts = new Map(
      args.filter(({ json }) => json.defaultValueStrategy !== 'omitted').map(({ json }) => {
        const known = nameOf(json);
        return [known, this.#names.take(known, 'argument')];
      }),
    );
    const addresses = new KnownAddresses(this.#reading, this.#types, {
      accounts: accountPorts,
      arguments: argumentPorts,
    });
    const readAccounts = accounts.map((account) =>
      this.#account(node, account, accountPorts.get(nameOf(account)) ?? '', addresses)
    );
    const readArguments = args.map(({ json, type }) => this.#argument(json, type, argumentPorts.get(nameOf(json))));
    this.ports.targets.push(REMAINING, SUBMIT);
    const least = args.reduce((sum, { type }) => sum + this.#types.bytesOf(type), 0);
    if (least > MAX_CONSTANT_BYTES) throw new OperationRefused('the arguments do not fit into a transaction');
    return {
      kind: 'instruction',
      name,
      program: programOf(this.#reading),
      accounts: readAccounts,
      arguments: readArguments,
      types: this.#types.usedTypes(),
      errors: this.#reading.errors,
    };
  }

  /** Reads the arguments. If the only one is a structure, its fields are the arguments. */
  #arguments(node: DescribedJson): ReadArgument[] {
    const args = listOf(node.arguments).map((argument): ReadArgument => {
      const json = objectOf(argument);
      return { json, type: this.#types.read(json.type) };
    });
    const given = args.filter(({ json }) => json.defaultValueStrategy !== 'omitted');
    const [only] = given;
    if (only === undefined || given.length > 1 || only.json.defaultValue !== undefined) return args;
    const struct = this.#types.resolve(only.type);
    if (struct.kind !== 'structTypeNode' || struct.fields.length === 0) return args;
    return args.flatMap((argument) =>
      argument === only ? struct.fields.map(({ name, type }) => ({ json: { name, docs: [] }, type })) : argument
    );
  }

  #account(
    node: DescribedJson,
    account: DescribedJson,
    port: string,
    addresses: KnownAddresses,
  ): SolanaInstruction['accounts'][number] {
    const signer = account.isSigner === 'either' ? 'either' : account.isSigner === true;
    const writable = account.isWritable === true;
    const isOptional = account.isOptional === true;
    const found = addresses.defaultOf(account);
    const hints = [
      docsOf(account, MAX_TOOLTIP).replace(/[^.!?]$/, '$&.'),
      signer === true ? 'Signs.' : signer === 'either' ? 'Signs if it is a wallet.' : '',
      writable ? 'The instruction may change it.' : '',
      defaultText(found),
      isOptional ? 'Optional.' : '',
    ];
    this.ports.targets.push({
      name: port,
      type_bounds: signer === true ? ['keypair'] : signer === 'either' ? ['keypair', 'pubkey'] : ['pubkey'],
      required: found === undefined && !isOptional,
      passthrough: false,
      tooltip: hints.filter((hint) => hint !== '').join(' '),
    });
    this.ports.sources.push({ name: port, type: 'pubkey', ...(isOptional && { optional: true }) });
    return {
      port,
      signer,
      writable,
      ...(found !== undefined && { default: found }),
      ...(isOptional && { absent: node.optionalAccountStrategy === 'omitted' ? 'left_out' : 'program' }),
    };
  }

  #argument(json: DescribedJson, type: TypeNode, port: string | undefined): InstructionArgument {
    const value = json.defaultValue;
    const bytes = value === undefined ? undefined : constantBytes(type, value);
    if (port === undefined) {
      if (bytes === undefined) throw new OperationRefused(`the constant ${nameOf(json)} is not supported`);
      return { bytes: toBase64(bytes) };
    }
    const { port: bound, isOptional } = portOf(this.#types, type);
    this.ports.targets.push({
      name: port,
      type_bounds: [bound],
      required: bytes === undefined && !isOptional,
      passthrough: false,
      tooltip: docsOf(json, MAX_TOOLTIP),
    });
    return { port, type, ...(bytes !== undefined && { default: toBase64(bytes) }) };
  }
}
