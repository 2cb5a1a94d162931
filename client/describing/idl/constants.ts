import { base16, base58, base64 } from '@scure/base';
import type { TypeNode } from '../../../types/described/solana/type_node.ts';
import { memberOf, OperationRefused, textOf } from '../documents.ts';

/** The most bytes of a constant: more do not fit into a transaction. */
export const MAX_CONSTANT_BYTES = 1_232;
const MAX_TEXT = 2 * MAX_CONSTANT_BYTES;

const INTEGER_BYTES: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16 };

export const toHex = (bytes: Uint8Array): string => base16.encode(bytes).toLowerCase();
export const toBase64 = (bytes: Uint8Array): string => base64.encode(bytes);

function integerBytes(format: string, value: number | bigint): Uint8Array | undefined {
  const count = INTEGER_BYTES[format.replace('i', 'u')];
  if (count === undefined || typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
  const bits = BigInt.asUintN(count * 8, BigInt(value));
  const isSame = format.startsWith('i') ? BigInt.asIntN(count * 8, bits) === BigInt(value) : bits === BigInt(value);
  return isSame ? Uint8Array.from({ length: count }, (_, at) => Number(bits >> BigInt(at * 8) & 255n)) : undefined;
}

function decoded(encoding: string, text: string): Uint8Array | undefined {
  if (text.length > MAX_TEXT) return undefined;
  switch (encoding) {
    case 'utf8':
      return new TextEncoder().encode(text);
    case 'base16':
      // The converter writes the number of an instruction of Shank with one digit.
      return base16.decode((text.length % 2 === 0 ? text : `0${text}`).toUpperCase());
    case 'base58':
      return base58.decode(text);
    case 'base64':
      return base64.decode(text);
    default:
      return undefined;
  }
}

function bytesOf(type: TypeNode, value: unknown): Uint8Array | undefined {
  const kind = memberOf(value, 'kind');
  switch (type.kind) {
    case 'bytesTypeNode':
    case 'stringTypeNode': {
      if (kind === 'stringValueNode') {
        const encoding = type.kind === 'stringTypeNode' ? type.encoding : 'utf8';
        return decoded(encoding, textOf(memberOf(value, 'string')) ?? '');
      }
      if (kind !== 'bytesValueNode') return undefined;
      return decoded(textOf(memberOf(value, 'encoding')) ?? '', textOf(memberOf(value, 'data')) ?? '');
    }
    case 'publicKeyTypeNode': {
      const bytes = decoded('base58', textOf(memberOf(value, 'publicKey')) ?? '');
      return kind === 'publicKeyValueNode' && bytes?.length === 32 ? bytes : undefined;
    }
    case 'numberTypeNode': {
      const number = memberOf(value, 'number');
      return kind === 'numberValueNode' && typeof number === 'number' ? integerBytes(type.format, number) : undefined;
    }
    case 'booleanTypeNode':
      return kind === 'booleanValueNode'
        ? integerBytes(type.size.format, memberOf(value, 'boolean') === true ? 1 : 0)
        : undefined;
    case 'fixedSizeTypeNode': {
      const inner = bytesOf(type.type, value);
      if (inner === undefined || inner.length > type.size || type.size > MAX_CONSTANT_BYTES) return undefined;
      const padded = new Uint8Array(type.size);
      padded.set(inner);
      return padded;
    }
    case 'sizePrefixTypeNode': {
      const inner = bytesOf(type.type, value);
      const prefix = inner && integerBytes(type.prefix.format, inner.length);
      return prefix && inner && new Uint8Array([...prefix, ...inner]);
    }
    case 'optionTypeNode': {
      if (kind !== 'noneValueNode' || type.fixed) return undefined;
      return integerBytes(type.prefix.format, 0);
    }
    default:
      return undefined;
  }
}

/** Encodes a constant of an IDL; undefined if the constant has another form, or does not fit the type. */
export function constantBytes(type: TypeNode, value: unknown): Uint8Array | undefined {
  let bytes: Uint8Array | undefined;
  try {
    bytes = bytesOf(type, value);
  } catch {
    // The text is not in its encoding.
    return undefined;
  }
  if (bytes !== undefined && bytes.length > MAX_CONSTANT_BYTES) {
    throw new OperationRefused(`a constant has more than ${MAX_CONSTANT_BYTES} bytes`);
  }
  return bytes;
}
