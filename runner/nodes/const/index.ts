import { base64 } from '@scure/base';
import { LosslessNumber } from 'lossless-json';
import { bytesToValue, decodeValue, type LosslessJson, type Value, ValueError } from '../../../types/values/value.ts';
import { fromWireJson, fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads the value that the form of a constant has for a type. Throws an Error that describes the right form. */
type Read = (value: LosslessJson | undefined, maxBytes: number) => Value;

function textThat(what: string, value: LosslessJson | undefined): string {
  if (typeof value === 'string') return value;
  throw new ValueError(`must be ${what}`, []);
}

/** Reads a base58 text of 32 bytes, or of 64 bytes. */
function readKey(text: string): Value {
  try {
    return decodeValue({ B3: text });
  } catch {
    return decodeValue({ B6: text });
  }
}

/** How the value of each type is written. The definition's form offers these types. */
const TYPES: { readonly [type: string]: Read } = {
  text: (value = '') => decodeValue({ S: textThat('a text', value) }),
  number: (value) => {
    if (value instanceof LosslessNumber) return fromWireJson(value);
    throw new ValueError('must be a number', []);
  },
  decimal: (value) => decodeValue({ D: textThat('a text with a decimal, such as "2.50"', value) }),
  boolean: (value) => {
    if (typeof value === 'boolean') return { B: value };
    throw new ValueError('must be true or false', []);
  },
  JSON: (value, maxBytes) => fromWireJsonText(textThat('a text that holds JSON', value), maxBytes),
  null: () => ({ N: 0 }),
  bytes: (value) => {
    const text = textThat('a text with bytes in base64', value);
    try {
      return bytesToValue(base64.decode(text));
    } catch {
      throw new ValueError('must be bytes in base64, such as AQID', []);
    }
  },
  key: (value) => {
    try {
      return readKey(textThat('a text', value));
    } catch {
      throw new ValueError('must be a public key, or a key pair of 64 bytes, in base58', []);
    }
  },
};

const isTagged = (value: LosslessJson | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber);

/**
 * Converts lossless numbers to plain numbers. No digits are lost: tagged values write numbers as texts, and their only
 * JSON number is the 0 of `{"N": 0}`.
 */
const toPlainJson = (json: LosslessJson): unknown =>
  JSON.parse(JSON.stringify(json, (_, member) => member instanceof LosslessNumber ? Number(member) : member));

/**
 * Reads the form data of a constant. Other editors save types of other names with a tagged value, lists of addresses of
 * the type File, and a bare text in place of the form data. Throws an Error with the path of the fault.
 */
function readConstant(formData: LosslessJson, maxBytes: number): Value {
  if (typeof formData === 'string') return fromWireJson(formData);
  const { type, value } = isTagged(formData) ? formData as { [member: string]: LosslessJson } : {};
  const read = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (typeof type !== 'string' || (read === undefined && value === undefined)) {
    throw new ValueError('form_data must have the members type and value', []);
  }
  if (read === undefined || (type !== 'JSON' && isTagged(value))) {
    // SAFETY: a type without `read` has a value, and so has a tagged one.
    return type === 'File' ? fromWireJson(value!) : decodeValue(toPlainJson(value!));
  }
  try {
    return read(value, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(error.reason, ['form_data', 'value']) : error;
  }
}

/** Outputs a constant. */
export const constNode: NodeModule = {
  definition,
  namesKeys: true,
  run: ({ formData, maxOutputBytes }) => ({ Source: readConstant(formData, maxOutputBytes) }),
};
