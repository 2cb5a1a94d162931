import { base58, base64 } from '@scure/base';
import { AccountRole, type Address, address, getProgramDerivedAddress } from '@solana/kit';
import type {
  InstructionAccount,
  KnownAddress,
  ProgramDerived,
  Seed,
  SolanaInstruction,
} from '../../../types/described/solana/implementation.ts';
import {
  ConversionError,
  readField,
  readOptionalField,
  toArray,
  toBoolean,
  toMap,
} from '../../../types/values/conversion.ts';
import { toPubkey, toWallet } from '../../../types/values/keys.ts';
import type { Value } from '../../../types/values/value.ts';
import { type NodeCall, NodeError } from '../../engine/node.ts';
import { addressOf } from '../../solana/building/instruction_nodes.ts';
import type { ChainSigner } from '../../solana/transaction_order.ts';
import type { ValueCodec } from './codec.ts';

/** An account of an instruction. If it signs, `wallet` is its wallet. */
interface ResolvedAccount {
  address: Address;
  wallet?: ChainSigner | undefined;
}

/** The codecs of arguments that are seeds. */
export type SeedCodecs = ReadonlyMap<Seed, ValueCodec>;

/** An account as the instruction names it. */
interface NamedAccount {
  meta: { address: Address; role: AccountRole };
  wallet?: ChainSigner | undefined;
  /** The output that gets the address. */
  port?: string;
}

const REMAINING = 'remaining_accounts';

const roleOf = (signs: boolean, writable: boolean): AccountRole =>
  signs
    ? writable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
    : writable
    ? AccountRole.WRITABLE
    : AccountRole.READONLY;

/** Tests whether a value is a wallet, and no bare public key. */
function isWallet(value: Value): boolean {
  try {
    toWallet(value);
    return true;
  } catch (error) {
    if (error instanceof ConversionError) return false;
    throw error;
  }
}

/** Finds the accounts of one instruction: from inputs, or else by what the program's IDL says of them. */
export class Accounts {
  readonly #implementation: SolanaInstruction;
  readonly #call: NodeCall;
  readonly #program: Address;
  readonly #feePayer: ChainSigner;
  readonly #seedCodecs: SeedCodecs;
  readonly #found = new Map<string, Promise<ResolvedAccount | undefined>>();

  constructor(
    implementation: SolanaInstruction,
    call: NodeCall,
    given: { program: Address; feePayer: ChainSigner; seedCodecs: SeedCodecs },
  ) {
    this.#implementation = implementation;
    this.#call = call;
    this.#program = given.program;
    this.#feePayer = given.feePayer;
    this.#seedCodecs = given.seedCodecs;
  }

  /** Returns the accounts in the order of the instruction. */
  async all(): Promise<NamedAccount[]> {
    const named: NamedAccount[] = [];
    // One after the other. Otherwise two defaults that need each other would wait for ever.
    for (const account of this.#implementation.accounts) {
      const found = await this.#find(account, []);
      const { port, writable, absent } = account;
      if (found !== undefined) {
        const role = roleOf(found.wallet !== undefined, writable);
        named.push({ meta: { address: found.address, role }, wallet: found.wallet, port });
      } else if (absent === 'program') {
        named.push({ meta: { address: this.#program, role: AccountRole.READONLY } });
      }
    }
    return [...named, ...this.#remaining()];
  }

  /** Returns the account of an input. `path` has the inputs that wait for it. */
  #find(account: InstructionAccount, path: readonly string[]): Promise<ResolvedAccount | undefined> {
    const { port } = account;
    if (path.includes(port)) throw new NodeError(`${port}: its default needs itself; give the account`);
    const known = this.#found.get(port);
    if (known !== undefined) return known;
    const found = this.#resolve(account, [...path, port]);
    this.#found.set(port, found);
    return found;
  }

  async #resolve(account: InstructionAccount, path: readonly string[]): Promise<ResolvedAccount | undefined> {
    const { inputs } = this.#call;
    const value = inputs[account.port];
    if (account.absent !== undefined && value !== undefined && 'N' in value) return undefined;
    if (value !== undefined && !('N' in value)) return this.#read(account.port, account.signer);
    if (account.default === undefined) {
      return account.absent === undefined ? this.#read(account.port, account.signer) : undefined;
    }
    if ('fee_payer' in account.default) {
      return { address: addressOf(this.#feePayer), wallet: account.signer === false ? undefined : this.#feePayer };
    }
    return { address: await this.#default(account.default, path) };
  }

  #read(port: string, signer: InstructionAccount['signer']): ResolvedAccount {
    const { inputs } = this.#call;
    const value = readField(inputs, port, (one) => one);
    if (signer === false || signer === 'either' && !isWallet(value)) {
      return { address: address(readField(inputs, port, toPubkey)) };
    }
    const wallet = readField(inputs, port, toWallet);
    const named = { ...wallet, isNamedByFlow: this.#call.isNamedByFlow(port, wallet.publicKey) };
    return { address: addressOf(named), wallet: named };
  }

  async #default(known: KnownAddress | ProgramDerived, path: readonly string[]): Promise<Address> {
    if ('seeds' in known) {
      const programAddress = known.of === undefined ? this.#program : await this.#default(known.of, path);
      const seeds: Uint8Array[] = [];
      for (const seed of known.seeds) seeds.push(await this.#seed(seed, path));
      try {
        return (await getProgramDerivedAddress({ programAddress, seeds }))[0];
      } catch (error) {
        throw new NodeError(`${path.at(-1) ?? ''}: its address can't be derived: ${(error as Error).message}`);
      }
    }
    if ('address' in known) return address(known.address);
    if ('account' in known) return await this.#other(known.account, path);
    if ('argument' in known) return address(readField(this.#call.inputs, known.argument, toPubkey));
    return this.#program;
  }

  async #other(port: string, path: readonly string[]): Promise<Address> {
    const account = this.#implementation.accounts.find((one) => one.port === port);
    const found = account && await this.#find(account, path);
    if (found === undefined) throw new NodeError(`missing field \`${port}\``);
    return found.address;
  }

  async #seed(seed: Seed, path: readonly string[]): Promise<Uint8Array> {
    if ('bytes' in seed) return base64.decode(seed.bytes);
    if ('program' in seed) return base58.decode(this.#program);
    if ('account' in seed) return base58.decode(await this.#other(seed.account, path));
    // SAFETY: the map has a codec for each seed of this implementation that is an argument.
    return readField(this.#call.inputs, seed.argument, this.#seedCodecs.get(seed)!.encode);
  }

  /** Reads the accounts that the program's IDL does not name. */
  #remaining(): NamedAccount[] {
    const list = readOptionalField(this.#call.inputs, REMAINING, toArray) ?? [];
    return list.map((element) => readField({ [REMAINING]: element }, REMAINING, (value) => this.#remainingOne(value)));
  }

  #remainingOne(value: Value): NamedAccount {
    const isObject = 'M' in value && Object.hasOwn(value.M, 'account');
    const fields = isObject ? toMap(value) : { account: value };
    const account = readField(fields, 'account', (one) => one);
    const writable = readOptionalField(fields, 'writable', toBoolean) ?? false;
    const signs = readOptionalField(fields, 'signer', toBoolean) ?? isWallet(account);
    if (!signs) return { meta: { address: address(toPubkey(account)), role: roleOf(false, writable) } };
    const wallet = toWallet(account);
    const named = { ...wallet, isNamedByFlow: this.#call.isNamedByFlow(REMAINING, wallet.publicKey) };
    return { meta: { address: addressOf(named), role: roleOf(true, writable) }, wallet: named };
  }
}
