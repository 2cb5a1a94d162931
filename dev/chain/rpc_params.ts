import { base58, base64 } from '@scure/base';
import { INVALID_REQUEST, invalidParams, RpcError } from './rpc_error.ts';
import type { Commitment } from '@solana/kit';
import { MAX_WIRE_BYTES, readTransaction, type WireTransaction } from './wire_transaction.ts';

/** JSON as the server reads it: whole numbers are bigints. */
export type RpcJson = null | boolean | number | bigint | string | RpcJson[] | { [name: string]: RpcJson };

type RpcObject = { [name: string]: RpcJson };

/** Describes a value in the words of a Solana RPC node's parser. */
function describe(value: RpcJson): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'bigint') return `integer \`${value}\``;
  if (typeof value === 'number') return `floating point \`${value}\``;
  return Array.isArray(value) ? 'sequence' : 'map';
}

const wrongType = (value: RpcJson, expected: string): RpcError =>
  invalidParams(`Invalid params: invalid type: ${describe(value)}, expected ${expected}.`);

/** The parameters of one call, each read and checked by its index. */
export interface Params {
  value: (index: number) => RpcJson;
  text: (index: number) => string;
  integer: (index: number) => bigint;
  texts: (index: number, max: number) => string[];
  publicKey: (index: number) => string;
  publicKeys: (index: number, max: number) => string[];
  /** Returns the object of settings at this index; an empty one if the call has none. */
  config: (index: number) => RpcConfig;
}

export interface RpcConfig {
  text: (name: string) => string | undefined;
  boolean: (name: string) => boolean;
  integer: (name: string) => bigint | undefined;
  object: (name: string) => RpcObject | undefined;
  /**
   * Returns the commitment in the member `name`, by default in the member `commitment`. If the member is missing,
   * returns `finalized`.
   */
  commitment: (name?: string) => Commitment;
}

function toText(value: RpcJson): string {
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  return value;
}

function toInteger(value: RpcJson): bigint {
  if (typeof value !== 'bigint') throw wrongType(value, 'u64');
  if (value < 0n || value >= 2n ** 64n) {
    throw invalidParams(`Invalid params: invalid value: ${describe(value)}, expected u64.`);
  }
  return value;
}

/**
 * Checks that a text is base58 of this many bytes. For any other text, throws the error that a Solana RPC node returns
 * for a malformed public key or signature.
 */
export function checkBase58(text: string, length: number): string {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch {
    throw invalidParams('Invalid param: Invalid');
  }
  if (bytes.length !== length) throw invalidParams('Invalid param: WrongSize');
  return text;
}

/** The names of the three commitments, with the older names. */
const COMMITMENTS: { [name: string]: Commitment } = {
  processed: 'processed',
  recent: 'processed',
  confirmed: 'confirmed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  finalized: 'finalized',
  max: 'finalized',
  root: 'finalized',
};

export function readConfig(members: RpcObject): RpcConfig {
  const given = <T>(name: string, read: (value: RpcJson) => T): T | undefined => {
    const value = members[name];
    return value === undefined || value === null ? undefined : read(value);
  };
  return {
    text: (name) => given(name, toText),
    integer: (name) => given(name, toInteger),
    boolean: (name) =>
      given(name, (value) => {
        if (typeof value !== 'boolean') throw wrongType(value, 'a boolean');
        return value;
      }) ?? false,
    object: (name) =>
      given(name, (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(value, 'a map');
        return value;
      }),
    commitment(name = 'commitment') {
      const text = given(name, toText) ?? 'finalized';
      const commitment = Object.hasOwn(COMMITMENTS, text) ? COMMITMENTS[text] : undefined;
      if (commitment === undefined) {
        throw invalidParams(
          `Invalid params: unknown variant \`${text}\`, expected one of \`processed\`, \`confirmed\`, \`finalized\`.`,
        );
      }
      return commitment;
    },
  };
}

export function readParams(params: RpcJson[]): Params {
  const required = (index: number): RpcJson => {
    const value = params[index];
    if (value === undefined) throw invalidParams(`\`params\` should have at least ${index + 1} argument(s)`);
    return value;
  };
  const texts = (index: number, max: number): string[] => {
    const value = required(index);
    if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
    if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
    return value.map(toText);
  };
  return {
    value: required,
    text: (index) => toText(required(index)),
    integer: (index) => toInteger(required(index)),
    texts,
    publicKey: (index) => checkBase58(toText(required(index)), 32),
    publicKeys: (index, max) => texts(index, max).map((text) => checkBase58(text, 32)),
    config(index) {
      const value = params[index];
      if (value === undefined || value === null) return readConfig({});
      if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(value, 'a map');
      return readConfig(value);
    },
  };
}

const WIRE_TYPE = 'solana_transaction::versioned::VersionedTransaction';

/** Reads a transaction parameter in the encoding that the config names. */
export function readWireTransaction(text: string, config: RpcConfig): WireTransaction {
  const encoding = config.text('encoding') ?? 'base58';
  if (encoding !== 'base58' && encoding !== 'base64') {
    throw new RpcError(
      INVALID_REQUEST,
      `unsupported encoding: ${encoding}. Supported encodings: base58, base64`,
    );
  }
  let bytes: Uint8Array;
  try {
    bytes = (encoding === 'base58' ? base58 : base64).decode(text);
  } catch (error) {
    throw invalidParams(`invalid ${encoding} encoding: ${(error as Error).message}`);
  }
  if (bytes.length > MAX_WIRE_BYTES) {
    throw invalidParams(
      `decoded ${WIRE_TYPE} too large: ${bytes.length} bytes (max: ${MAX_WIRE_BYTES} bytes)`,
    );
  }
  try {
    return readTransaction(bytes);
  } catch (error) {
    throw invalidParams(`failed to deserialize ${WIRE_TYPE}: ${(error as Error).message}`);
  }
}
