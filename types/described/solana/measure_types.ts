import { type CountNode, MAX_ACCOUNT_BYTES, type TypeNode } from './type_node.ts';

/** The most parts of a type, with the parts of the types to which it leads. */
export const MAX_PARTS = 5_000;
/** The deepest nesting of a type, links included. */
const MAX_LEVELS = 100;
const NESTED = 'a type is nested too deeply';

/** The reason why values of a type can't be read or written within bounds. */
export class TypeRefused extends Error {
  override name = 'TypeRefused';
}

interface Measure {
  /** The least bytes of a value. */
  bytes: number;
  /** The parts of the type, those of linked types included. */
  parts: number;
  levels: number;
  /** True if each value has the least bytes. */
  isFixed: boolean;
  /** The least bytes of an item of a list inside the type; Infinity if there is no list. */
  itemBytes: number;
}

const NUMBER_BYTES: Readonly<Record<string, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  i128: 16,
  f32: 4,
  f64: 8,
  shortU16: 1,
};

const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), MAX_ACCOUNT_BYTES);

const smallest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity);

/** Measures types, each defined type once. */
export class TypeMeasures {
  readonly #types: ReadonlyMap<string, TypeNode>;
  /** `open` while a type is measured. A type that leads to itself would have no end. */
  readonly #known = new Map<string, Measure | TypeRefused | 'open'>();
  #depth = 0;

  constructor(types: ReadonlyMap<string, TypeNode>) {
    this.#types = types;
  }

  /** Throws a TypeRefused if the type has no end, or values that are too large or can't be counted. */
  measure(type: TypeNode): Measure {
    this.#depth += 1;
    try {
      if (this.#depth > MAX_LEVELS) throw new TypeRefused(NESTED);
      const measured = this.#measureKind(type);
      if (measured.bytes > MAX_ACCOUNT_BYTES) throw new TypeRefused('a type needs more bytes than an account may have');
      if (measured.parts > MAX_PARTS) throw new TypeRefused('a type has too many parts');
      if (measured.levels > MAX_LEVELS) throw new TypeRefused(NESTED);
      return measured;
    } finally {
      this.#depth -= 1;
    }
  }

  #measureKind(type: TypeNode): Measure {
    switch (type.kind) {
      case 'numberTypeNode':
        return {
          bytes: NUMBER_BYTES[type.format] ?? 0,
          parts: 1,
          levels: 1,
          isFixed: type.format !== 'shortU16',
          itemBytes: Infinity,
        };
      case 'booleanTypeNode':
        return this.measure(type.size);
      case 'publicKeyTypeNode':
        return { bytes: 32, parts: 1, levels: 1, isFixed: true, itemBytes: Infinity };
      case 'bytesTypeNode':
      case 'stringTypeNode':
        return { bytes: 0, parts: 1, levels: 1, isFixed: false, itemBytes: Infinity };
      case 'fixedSizeTypeNode':
        return { ...this.#sum([type.type]), bytes: type.size, isFixed: true };
      case 'sizePrefixTypeNode':
        return { ...this.#sum([type.prefix, type.type]), isFixed: false };
      case 'arrayTypeNode':
        return this.#list([type.item], type.count);
      case 'mapTypeNode':
        return this.#list([type.key, type.value], type.count);
      case 'optionTypeNode': {
        const whole = this.#sum([type.prefix, type.item]);
        if (!type.fixed) return { ...whole, bytes: this.measure(type.prefix).bytes, isFixed: false };
        if (!whole.isFixed) throw new TypeRefused('an option of fixed size has an item of no fixed size');
        return whole;
      }
      case 'zeroableOptionTypeNode': {
        const item = this.#sum([type.item]);
        if (!item.isFixed) throw new TypeRefused('an option by zeros has an item of no fixed size');
        return item;
      }
      case 'remainderOptionTypeNode':
        return { ...this.#sum([type.item]), bytes: 0, isFixed: false };
      case 'hiddenPrefixTypeNode':
        return this.#around(type.type, type.prefix);
      case 'hiddenSuffixTypeNode':
        return this.#around(type.type, type.suffix);
      case 'structTypeNode':
        return this.#sum(type.fields.map((field) => field.type));
      case 'tupleTypeNode':
        return this.#sum(type.items);
      case 'enumTypeNode': {
        const variants = type.variants.map((variant) =>
          variant.kind === 'enumStructVariantTypeNode'
            ? this.measure(variant.struct)
            : variant.kind === 'enumTupleVariantTypeNode'
            ? this.measure(variant.tuple)
            : { bytes: 0, parts: 1, levels: 1, isFixed: true, itemBytes: Infinity }
        );
        if (variants.length === 0) throw new TypeRefused('an enumeration has no variants');
        return {
          bytes: this.measure(type.size).bytes + least(variants.map(({ bytes }) => bytes)),
          parts: variants.reduce((sum, { parts }) => sum + parts, 1),
          levels: 1 + most(variants.map(({ levels }) => levels)),
          isFixed: type.variants.every(({ kind }) => kind === 'enumEmptyVariantTypeNode'),
          itemBytes: smallest(variants.map(({ itemBytes }) => itemBytes)),
        };
      }
      case 'definedTypeLinkNode':
        return this.#linked(type.name);
    }
  }

  #linked(name: string): Measure {
    const known = this.#known.get(name);
    if (known === 'open') throw new TypeRefused(`the type ${name} contains itself`);
    if (known instanceof TypeRefused) throw known;
    if (known !== undefined) return known;
    const type = this.#types.get(name);
    if (type === undefined) throw new TypeRefused(`there is no type ${name}`);
    this.#known.set(name, 'open');
    try {
      const { levels, ...measured } = this.measure(type);
      const linked = { ...measured, levels: levels + 1 };
      this.#known.set(name, linked);
      return linked;
    } catch (error) {
      if (error instanceof TypeRefused) this.#known.set(name, error);
      throw error;
    }
  }

  #sum(types: readonly TypeNode[]): Measure {
    const all = types.map((type) => this.measure(type));
    return {
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      parts: all.reduce((sum, { parts }) => sum + parts, 1),
      levels: 1 + most(all.map(({ levels }) => levels)),
      isFixed: all.every(({ isFixed }) => isFixed),
      itemBytes: smallest(all.map(({ itemBytes }) => itemBytes)),
    };
  }

  #list(types: readonly TypeNode[], count: CountNode): Measure {
    const sum = this.#sum(types);
    const item = { ...sum, itemBytes: Math.min(sum.bytes, sum.itemBytes) };
    // A list of such items could have any length without a byte.
    if (item.bytes === 0) throw new TypeRefused('the items of a list may have no bytes');
    if (count.kind === 'fixedCountNode') return { ...item, bytes: item.bytes * count.value };
    return { ...item, bytes: count.kind === 'prefixedCountNode' ? 1 : 0, isFixed: false };
  }

  #around(type: TypeNode, constants: readonly { value: { data: string } }[]): Measure {
    const inner = this.#sum([type]);
    return { ...inner, bytes: constants.reduce((sum, { value }) => sum + value.data.length / 2, inner.bytes) };
  }
}
