import { getNodeCodec } from '@codama/dynamic-codecs';
import type { DefinedTypes } from '../../../types/described/solana/implementation.ts';
import { MAX_PARTS, TypeMeasures, TypeRefused } from '../../../types/described/solana/measure_types.ts';
import type { TypeNode } from '../../../types/described/solana/type_node.ts';
import { ConversionError } from '../../../types/values/conversion.ts';
import type { Value } from '../../../types/values/value.ts';
import { fromCodecValue, isOption, toCodecValue, type Types, variantKey } from './values.ts';

/** Reads and writes values of one type. */
export interface ValueCodec {
  encode: (value: Value) => Uint8Array;
  /** Throws if the bytes end too early. Bytes behind the value are allowed. */
  decode: (bytes: Uint8Array) => Value;
  /** The least bytes of an item of a list in a value; Infinity if there is no list. */
  itemBytes: number;
}

/** Makes codecs of the types of one implementation. */
export class Codecs {
  readonly #program: object;
  readonly #types: Types;
  readonly #measures: TypeMeasures;
  #parts = 0;

  constructor(types: DefinedTypes) {
    this.#types = new Map(types.map(({ name, type }) => [name, type]));
    this.#measures = new TypeMeasures(this.#types);
    const lists = { instructions: [], accounts: [], pdas: [], events: [], errors: [] };
    const definedTypes = types.map(({ name, type }) => definedType(name, type));
    this.#program = { kind: 'programNode', name: 'program', ...lists, definedTypes };
  }

  /** Tests whether null stands for a value of the type, which a codec has measured. */
  isOption(type: TypeNode): boolean {
    return isOption(type, this.#types);
  }

  /**
   * Makes the codec of a type. The codec is built when it is first used. Throws a TypeRefused if the type has no bounds,
   * or if all types together have too many parts.
   */
  codec(type: TypeNode): ValueCodec {
    const { parts, itemBytes } = this.#measures.measure(type);
    this.#parts += parts;
    if (this.#parts > MAX_PARTS) throw new TypeRefused('the types of the definition have too many parts');
    let built: ReturnType<typeof getNodeCodec> | undefined;
    const codec = () => built ??= this.#build(type);
    return {
      itemBytes,
      encode: (value) => {
        const given = toCodecValue(type, value, this.#types);
        try {
          return new Uint8Array(codec().encode(given));
        } catch {
          // The message of the codec may quote the value, which may be a secret.
          throw new ConversionError('does not fit the type of the description');
        }
      },
      decode: (bytes) => fromCodecValue(type, codec().decode(bytes), this.#types),
    };
  }

  #build(type: TypeNode): ReturnType<typeof getNodeCodec> {
    const root = { kind: 'rootNode', program: this.#program, additionalPrograms: [] };
    const path = [root, this.#program, definedType('value', type)] as const;
    // SAFETY: the types of implementations are nodes of the Codama standard, with all members that codecs read.
    return getNodeCodec(path as unknown as Parameters<typeof getNodeCodec>[0]);
  }
}

/**
 * Returns a type with other names of variants. The codecs change the case of such names, so values name a variant by its
 * number.
 */
function withVariantKeys(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withVariantKeys);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, withVariantKeys(member)]));
  if (copy.kind !== 'enumTypeNode') return copy;
  const variants = copy.variants as object[];
  return { ...copy, variants: variants.map((variant, index) => ({ ...variant, name: variantKey(index) })) };
}

const definedType = (name: string, type: TypeNode) => ({
  kind: 'definedTypeNode',
  name,
  docs: [],
  type: withVariantKeys(type),
});
