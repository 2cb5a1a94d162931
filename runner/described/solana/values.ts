import { base16, base58, base64, utf8 } from '@scure/base';
import type { CountNode, EnumNode, StructNode, TypeNode } from '../../../types/described/solana/type_node.ts';
import {
  ConversionError,
  readField,
  toArray,
  toBoolean,
  toF32,
  toF64,
  toInteger,
  toMap,
  toText,
} from '../../../types/values/conversion.ts';
import { toBytes, toPubkey } from '../../../types/values/keys.ts';
import { formatFloat } from '../../../types/values/number_text.ts';
import { bytesToValue, integerToValue, type Value, type ValueMap } from '../../../types/values/value.ts';

/** The types to which links lead, by name. */
export type Types = ReadonlyMap<string, TypeNode>;

/** A value in the form that the codecs take: bytes are base64, numbers of 64 bits and more are bigints. */
type CodecValue = unknown;

const SMALL = ['u8', 'u16', 'u32', 'i8', 'i16', 'i32'];
const SOME = (value: CodecValue) => ({ __option: 'Some', value });
const NONE = { __option: 'None' };

/** The name of a variant in the codecs, by its number. */
export const variantKey = (index: number): string => `V${index}`;

const inside = <T>(place: string, convert: () => T): T => {
  try {
    return convert();
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(`${place}: ${error.message}`) : error;
  }
};

function linked(name: string, types: Types): TypeNode {
  const type = types.get(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}

/** Tests whether null stands for a value of the type. */
export function isOption(type: TypeNode, types: Types): boolean {
  if (type.kind === 'definedTypeLinkNode') return isOption(linked(type.name, types), types);
  return type.kind === 'optionTypeNode' || type.kind === 'zeroableOptionTypeNode' ||
    type.kind === 'remainderOptionTypeNode';
}

function numberOf(format: Extract<TypeNode, { kind: 'numberTypeNode' }>['format'], value: Value): CodecValue {
  if (format === 'f32') return toF32(value);
  if (format === 'f64') return toF64(value);
  const integer = toInteger(format === 'shortU16' ? 'u16' : format)(value);
  return SMALL.includes(format) || format === 'shortU16' ? Number(integer) : integer;
}

const bytesOf = (value: Value): CodecValue => ['base64', base64.encode(toBytes(value))];

const TEXT_BYTES = {
  utf8: utf8.decode,
  base16: (text: string) => base16.decode(text.toUpperCase()),
  base58: base58.decode,
  base64: base64.decode,
};

function textBytes(encoding: keyof typeof TEXT_BYTES, text: string): Uint8Array {
  try {
    return TEXT_BYTES[encoding](text);
  } catch {
    // The error of the decoder quotes the text, which may be a secret.
    throw new ConversionError(`must be a text in ${encoding}`);
  }
}

/** Checks that a text or bytes fit into a field of fixed size, because the codecs would cut them off. */
function fitted(size: number, type: TypeNode, value: Value): void {
  if (type.kind === 'bytesTypeNode') {
    const { length } = toBytes(value);
    if (length !== size) throw new ConversionError(`must have ${size} bytes, not ${length}`);
  } else if (type.kind === 'stringTypeNode') {
    const { length } = textBytes(type.encoding, toText(value));
    if (length > size) throw new ConversionError(`must have at most ${size} bytes, not ${length}`);
  }
}

function listOf(count: CountNode, value: Value): Value[] {
  const list = toArray(value);
  if (count.kind === 'fixedCountNode' && list.length !== count.value) {
    throw new ConversionError(`must have ${count.value} elements, not ${list.length}`);
  }
  return list;
}

function fieldsOf({ fields }: StructNode, value: Value, types: Types): { [name: string]: CodecValue } {
  const map = toMap(value);
  const unknown = Object.keys(map).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) {
    throw new ConversionError(`has a member that is none of ${fields.map(({ name }) => name).join(', ')}`);
  }
  return Object.fromEntries(fields.map(({ name, type }) => {
    const member = Object.hasOwn(map, name) ? map[name] : undefined;
    if (member === undefined && isOption(type, types)) return [name, NONE];
    return [name, inside(name, () => toCodecValue(type, member ?? readField(map, name, (one) => one), types))];
  }));
}

/** Reads a variant: its name as a text, or an object whose only member is the name, with the fields of the variant. */
function variantOf(type: EnumNode, value: Value, types: Types): CodecValue {
  const names = type.variants.map(({ name }) => name);
  const [name = '', more] = 'M' in value ? Object.keys(value.M) : [toText(value)];
  const index = names.indexOf(name);
  const variant = type.variants[index];
  if (variant === undefined || more !== undefined) throw new ConversionError(`must be one of ${names.join(', ')}`);
  if (type.variants.every(({ kind }) => kind === 'enumEmptyVariantTypeNode')) return index;
  const kind = { __kind: variantKey(index) };
  if (variant.kind === 'enumEmptyVariantTypeNode') return kind;
  const content = 'M' in value ? value.M[name] : undefined;
  if (content === undefined) throw new ConversionError(`must be an object with the member ${name}`);
  return inside(
    name,
    () =>
      variant.kind === 'enumStructVariantTypeNode'
        ? { ...fieldsOf(variant.struct, content, types), ...kind }
        : { ...kind, fields: toCodecValue(variant.tuple, content, types) },
  );
}

/** Converts a value to the form of the codecs. Throws a ConversionError that names the place inside the value. */
export function toCodecValue(type: TypeNode, value: Value, types: Types): CodecValue {
  switch (type.kind) {
    case 'numberTypeNode':
      return numberOf(type.format, value);
    case 'booleanTypeNode':
      return toBoolean(value);
    case 'publicKeyTypeNode':
      return toPubkey(value);
    case 'bytesTypeNode':
      return bytesOf(value);
    case 'stringTypeNode':
      return toText(value);
    case 'fixedSizeTypeNode':
      fitted(type.size, type.type, value);
      return toCodecValue(type.type, value, types);
    case 'sizePrefixTypeNode':
    case 'hiddenPrefixTypeNode':
    case 'hiddenSuffixTypeNode':
      return toCodecValue(type.type, value, types);
    case 'arrayTypeNode':
      return listOf(type.count, value).map((item, index) =>
        inside(`[${index}]`, () => toCodecValue(type.item, item, types))
      );
    case 'tupleTypeNode':
      return listOf({ kind: 'fixedCountNode', value: type.items.length }, value).map((item, index) =>
        inside(`[${index}]`, () => toCodecValue(type.items[index]!, item, types))
      );
    case 'mapTypeNode':
      return Object.fromEntries(
        Object.entries(toMap(value)).map(([name, member]) => [
          keyText(type.key, name),
          inside(name, () => toCodecValue(type.value, member, types)),
        ]),
      );
    case 'optionTypeNode':
    case 'zeroableOptionTypeNode':
    case 'remainderOptionTypeNode':
      return 'N' in value ? NONE : SOME(toCodecValue(type.item, value, types));
    case 'structTypeNode':
      return fieldsOf(type, value, types);
    case 'enumTypeNode':
      return variantOf(type, value, types);
    case 'definedTypeLinkNode':
      return toCodecValue(linked(type.name, types), value, types);
  }
}

/** Checks the text of a key of a map. The codecs convert it to the type of the key. */
function keyText(type: TypeNode, text: string): string {
  const key = type.kind === 'sizePrefixTypeNode' || type.kind === 'fixedSizeTypeNode' ? type.type : type;
  if (key.kind === 'numberTypeNode') {
    const value = integerToValue(text);
    if (value === undefined) throw new ConversionError('has a key that is no integer');
    numberOf(key.format, value);
  }
  if (key.kind === 'publicKeyTypeNode') toPubkey({ S: text });
  return text;
}

const optionItem = (given: CodecValue): CodecValue =>
  // SAFETY: the codec of an option gives `{__option, value?}`.
  (given as { value?: CodecValue }).value;

function fromFields({ fields }: StructNode, given: CodecValue, types: Types): ValueMap {
  const members = given as { [name: string]: CodecValue };
  return Object.fromEntries(fields.map(({ name, type }) => [name, fromCodecValue(type, members[name], types)]));
}

function fromVariant(type: EnumNode, given: CodecValue, types: Types): Value {
  if (typeof given === 'number') return { S: type.variants[given]?.name ?? '' };
  const { __kind, fields } = given as { __kind: string; fields?: CodecValue };
  const variant = type.variants.find((_, index) => variantKey(index) === __kind);
  if (variant === undefined || variant.kind === 'enumEmptyVariantTypeNode') return { S: variant?.name ?? '' };
  const content = variant.kind === 'enumStructVariantTypeNode'
    ? { M: fromFields(variant.struct, given, types) }
    : fromCodecValue(variant.tuple, fields, types);
  return { M: { [variant.name]: content } };
}

/** Converts what a codec has read to a value. Numbers keep all their digits. */
export function fromCodecValue(type: TypeNode, given: CodecValue, types: Types): Value {
  switch (type.kind) {
    case 'numberTypeNode':
      if (type.format === 'f32' || type.format === 'f64') return { F: formatFloat(given as number) };
      // SAFETY: each integer of the codecs has at most 128 bits.
      return integerToValue(String(given))!;
    case 'booleanTypeNode':
      return { B: given as boolean };
    case 'publicKeyTypeNode':
      return { B3: given as string };
    case 'bytesTypeNode':
      return bytesToValue(base64.decode((given as [string, string])[1]));
    case 'stringTypeNode':
      return { S: (given as string).replaceAll('\0', '') };
    case 'fixedSizeTypeNode':
    case 'sizePrefixTypeNode':
    case 'hiddenPrefixTypeNode':
    case 'hiddenSuffixTypeNode':
      return fromCodecValue(type.type, given, types);
    case 'arrayTypeNode':
      return { A: (given as CodecValue[]).map((item) => fromCodecValue(type.item, item, types)) };
    case 'tupleTypeNode':
      return { A: type.items.map((item, index) => fromCodecValue(item, (given as CodecValue[])[index], types)) };
    case 'mapTypeNode':
      return {
        M: Object.fromEntries(
          Object.entries(given as object).map(([name, member]) => [name, fromCodecValue(type.value, member, types)]),
        ),
      };
    case 'optionTypeNode':
    case 'zeroableOptionTypeNode':
    case 'remainderOptionTypeNode': {
      const item = optionItem(given);
      return item === undefined ? { N: 0 } : fromCodecValue(type.item, item, types);
    }
    case 'structTypeNode':
      return { M: fromFields(type, given, types) };
    case 'enumTypeNode':
      return fromVariant(type, given, types);
    case 'definedTypeLinkNode':
      return fromCodecValue(linked(type.name, types), given, types);
  }
}
