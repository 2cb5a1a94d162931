import type {
  InstructionAccount,
  KnownAddress,
  ProgramDerived,
  Seed,
} from '../../../types/described/solana/implementation.ts';
import { type DescribedJson, listOf, memberOf, textOf } from '../documents.ts';
import { constantBytes, toBase64 } from './constants.ts';
import { snakeCase } from './names.ts';
import { addressOf, kindOf, type ProgramReading } from './reading.ts';
import type { TypeReader } from './types.ts';

/** Programs and accounts that IDLs name without their address. Source: `getCommonInstructionAccountDefaultRules`. */
const COMMON = new Map(Object.entries({
  system_program: '11111111111111111111111111111111',
  token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  associated_token_program: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  ata_program: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  token_metadata_program: 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  rent: 'SysvarRent111111111111111111111111111111111',
  clock: 'SysvarC1ock11111111111111111111111111111111',
  instructions: 'Sysvar1nstructions1111111111111111111111111',
}));

/** The inputs of an instruction by the names of the IDL. */
export interface InputNames {
  accounts: ReadonlyMap<string, string>;
  /** The ports of arguments, each with the type in the IDL. */
  arguments: ReadonlyMap<string, string>;
}

const inputOf = (names: ReadonlyMap<string, string>, node: unknown): string | undefined => names.get(nameOf(node));

/** Returns the name of a part of an IDL, in snake case. Throws an OperationRefused if nothing is left of it. */
export const nameOf = (node: unknown): string => snakeCase(textOf(memberOf(node, 'name')) ?? '');

/** Finds the addresses that an IDL says for accounts of one instruction. */
export class KnownAddresses {
  readonly #reading: ProgramReading;
  readonly #types: TypeReader;
  readonly #inputs: InputNames;

  constructor(reading: ProgramReading, types: TypeReader, inputs: InputNames) {
    this.#reading = reading;
    this.#types = types;
    this.#inputs = inputs;
  }

  /** Returns the default of an account; undefined if the input has to say the account. */
  defaultOf(account: DescribedJson): InstructionAccount['default'] {
    const value = account.defaultValue;
    const isSigner = account.isSigner === true;
    if (kindOf(value) === 'payerValueNode') return { fee_payer: true };
    // Only a wallet can sign.
    if (isSigner) return undefined;
    if (kindOf(value) === 'pdaValueNode') return this.#derived(value);
    const common = COMMON.get(nameOf(account));
    return this.#known(value) ??
      (value === undefined && account.isOptional !== true && common !== undefined ? { address: common } : undefined);
  }

  #known(value: unknown): KnownAddress | undefined {
    switch (kindOf(value)) {
      case 'publicKeyValueNode': {
        const address = addressOf(memberOf(value, 'publicKey'));
        return address === undefined ? undefined : { address };
      }
      case 'programIdValueNode':
        return { program: true };
      case 'programLinkNode': {
        const address = addressOf(this.#reading.program.addressOf(textOf(memberOf(value, 'name')) ?? ''));
        return address === undefined ? undefined : { address };
      }
      case 'accountValueNode': {
        const account = inputOf(this.#inputs.accounts, value);
        return account === undefined ? undefined : { account };
      }
      case 'argumentValueNode': {
        const argument = inputOf(this.#inputs.arguments, value);
        return argument === undefined ? undefined : { argument };
      }
      default:
        return undefined;
    }
  }

  #derived(value: unknown): ProgramDerived | undefined {
    const named = memberOf(value, 'pda');
    if (kindOf(named) === 'pdaLinkNode' && memberOf(named, 'program') !== undefined) return undefined;
    const pda = kindOf(named) === 'pdaLinkNode' ? this.#reading.program.pda(nameOf(named)) : named;
    if (kindOf(pda) !== 'pdaNode') return undefined;
    const given = new Map(listOf(memberOf(value, 'seeds')).map((seed) => [nameOf(seed), memberOf(seed, 'value')]));
    const seeds = listOf(memberOf(pda, 'seeds')).map((seed) => this.#seed(seed, given));
    const programId = memberOf(value, 'programId');
    const address = addressOf(memberOf(pda, 'programId'));
    const of = programId !== undefined ? this.#known(programId) : address === undefined ? undefined : { address };
    if (programId !== undefined && of === undefined || seeds.includes(undefined)) return undefined;
    return { ...(of !== undefined && { of }), seeds: seeds.filter((seed) => seed !== undefined) };
  }

  #seed(seed: unknown, given: ReadonlyMap<string, unknown>): Seed | undefined {
    const isConstant = kindOf(seed) === 'constantPdaSeedNode';
    const value = isConstant ? memberOf(seed, 'value') : given.get(nameOf(seed));
    if (kindOf(value) === 'programIdValueNode') return { program: true };
    const known = isConstant ? undefined : this.#known(value);
    const type = this.#types.read(memberOf(seed, 'type'));
    if (known !== undefined && 'account' in known) return known;
    if (known !== undefined && 'argument' in known) return { ...known, type };
    const bytes = constantBytes(type, value);
    return bytes === undefined ? undefined : { bytes: toBase64(bytes) };
  }
}
