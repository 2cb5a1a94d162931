import { base58, base64 } from '@scure/base';
import { INVALID_REQUEST, invalidParams, RpcError } from './rpc_error.ts';
import type { Commitment } from './slot_clock.ts';
import { MAX_WIRE_BYTES, readTransaction, type WireTransaction } from './wire_transaction.ts';

/** JSON as the server reads it: whole numbers are bigints. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

export type JsonObject = { [name: string]: Json };

/** Describes a value in the words of a node's parser. */
function describe(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'bigint') return `integer \`${value}\``;
  if (typeof value === 'number') return `floating point \`${value}\``;
  return Array.isArray(value) ? 'sequence' : 'map';
}

const wrongType = (value: Json, expected: string): RpcError =>
  invalidParams(`Invalid params: invalid type: ${describe(value)}, expected ${expected}.`);

/** The parameters of one call, each read and checked by its index. */
export interface Params {
  value: (index: number) => Json;
  text: (index: number) => string;
  integer: (index: number) => bigint;
  texts: (index: number, max: number) => string[];
  publicKey: (index: number) => string;
  publicKeys: (index: number, max: number) => string[];
  /** Returns the object of settings at this index; an empty one if the call has none. */
  config: (index: number) => Config;
}

export interface Config {
  text: (name: string) => string | undefined;
  boolean: (name: string) => boolean;
  integer: (name: string) => bigint | undefined;
  object: (name: string) => JsonObject | undefined;
  /** Returns the commitment, by default `finalized`; `name` is the member's name if it is not `commitment`. */
  commitment: (name?: string) => Commitment;
}

function toText(value: Json): string {
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  return value;
}

function toInteger(value: Json): bigint {
  if (typeof value !== 'bigint') throw wrongType(value, 'u64');
  if (value < 0n || value >= 2n ** 64n) {
    throw invalidParams(`Invalid params: invalid value: ${describe(value)}, expected u64.`);
  }
  return value;
}

/**
 * Checks that a text is base58 of this many bytes. Throws the error of a node for a malformed public key or signature.
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

/** Older names of the three commitments. */
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

export function readConfig(members: JsonObject): Config {
  const given = <T>(name: string, read: (value: Json) => T): T | undefined => {
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

export function readParams(params: Json[]): Params {
  const required = (index: number): Json => {
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
export function readWireTransaction(text: string, config: Config): WireTransaction {
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
