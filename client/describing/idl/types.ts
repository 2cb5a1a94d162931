import { TypeMeasures } from '../../../types/described/solana/measure_types.ts';
import type { DefinedTypes } from '../../../types/described/solana/implementation.ts';
import {
  type ConstantNode,
  type CountNode,
  type EnumNode,
  INTEGER_FORMATS,
  type StructNode,
  type TypeNode,
  type VariantNode,
} from '../../../types/described/solana/type_node.ts';
import { listOf, memberOf, OperationRefused, textOf } from '../documents.ts';
import { constantBytes, toHex } from './constants.ts';
import { snakeCase } from './names.ts';
import type { IdlProgram } from './program.ts';

/** The deepest nesting of a type without links. */
const MAX_LEVELS = 40;

type PrefixNode = Extract<TypeNode, { kind: 'sizePrefixTypeNode' }>['prefix'];

const PREFIX_FORMATS: readonly PrefixNode['format'][] = ['u8', 'u16', 'u32', 'u64', 'shortU16'];
const FORMATS = [...INTEGER_FORMATS, 'f32', 'f64', 'shortU16'] as const;
const ENCODINGS = ['utf8', 'base16', 'base58', 'base64'] as const;

const unsupported = (kind: string): OperationRefused =>
  new OperationRefused(`types of the kind ${kind.slice(0, 50) || 'unknown'} are not supported`);

const nested = (): OperationRefused => new OperationRefused('a type is nested too deeply');

function numberOf(node: unknown): Extract<TypeNode, { kind: 'numberTypeNode' }> {
  const format = FORMATS.find((known) => known === memberOf(node, 'format'));
  // The codecs write the lowest byte first.
  if (format === undefined || memberOf(node, 'endian') === 'be') throw unsupported('big-endian or unknown number');
  return { kind: 'numberTypeNode', format, endian: 'le' };
}

function prefixOf(node: unknown, fallback: PrefixNode['format']): PrefixNode {
  if (node === undefined) return { kind: 'numberTypeNode', format: fallback, endian: 'le' };
  const { format } = numberOf(unwrapped(node));
  const known = PREFIX_FORMATS.find((one) => one === format);
  if (known === undefined) throw unsupported(`length in ${format}`);
  return { kind: 'numberTypeNode', format: known, endian: 'le' };
}

/** Returns the number inside an amount or a time, and any other type itself. */
function unwrapped(node: unknown): unknown {
  const kind = memberOf(node, 'kind');
  return kind === 'amountTypeNode' || kind === 'solAmountTypeNode' || kind === 'dateTimeTypeNode'
    ? memberOf(node, 'number')
    : node;
}

/** Converts the types of an IDL to the form of implementations, and collects the types to which they lead. */
export class TypeReader {
  readonly #program: IdlProgram;
  readonly #types: Map<string, TypeNode>;
  readonly #measures: TypeMeasures;
  readonly #used = new Set<string>();
  /** The links that are being read now, each inside the one before. */
  #openLinks = 0;

  constructor(program: IdlProgram, known: KnownTypes) {
    this.#program = program;
    this.#types = known.types;
    this.#measures = known.measures;
  }

  /** Converts a type. Throws an OperationRefused if the adapter does not support it. */
  read(node: unknown): TypeNode {
    const type = this.#read(node, 0);
    this.#measures.measure(type);
    return type;
  }

  /** Returns the least bytes of a value. */
  bytesOf(type: TypeNode): number {
    return this.#measures.measure(type).bytes;
  }

  isFixed(type: TypeNode): boolean {
    return this.#measures.measure(type).isFixed;
  }

  /** Returns the type to which a link leads, perhaps through other links, or the type itself. */
  resolve(type: TypeNode): TypeNode {
    let found = type;
    while (found.kind === 'definedTypeLinkNode') {
      const linked = this.#types.get(found.name);
      if (linked === undefined) throw new OperationRefused(`there is no type ${found.name}`);
      found = linked;
    }
    return found;
  }

  /** Returns the types to which the converted types lead, directly or not. */
  usedTypes(): DefinedTypes {
    return [...this.#used].toSorted().flatMap((name) => {
      const type = this.#types.get(name);
      return type === undefined ? [] : [{ name, type }];
    });
  }

  #link(json: unknown): TypeNode {
    if (memberOf(json, 'program') !== undefined) throw unsupported('link to another program');
    const idlName = textOf(memberOf(json, 'name')) ?? '';
    const name = snakeCase(idlName);
    if (!this.#used.has(name)) {
      this.#used.add(name);
      const known = this.#types.get(name);
      if (known === undefined) {
        this.#types.set(name, this.#readLinked(idlName));
      } else this.#follow(known);
    }
    return { kind: 'definedTypeLinkNode', name };
  }

  #readLinked(idlName: string): TypeNode {
    const node = this.#program.type(idlName);
    if (node === undefined) throw new OperationRefused(`there is no type ${idlName.slice(0, 100)}`);
    if (this.#openLinks >= MAX_LEVELS) throw nested();
    this.#openLinks += 1;
    try {
      return this.#read(node, 0);
    } finally {
      this.#openLinks -= 1;
    }
  }

  /** Marks the types to which a converted type leads as used. The type has a bounded number of parts. */
  #follow(type: TypeNode): void {
    this.#measures.measure(type);
    const parts: unknown[] = [type];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (typeof part !== 'object' || part === null) continue;
      const { kind, name } = part as { kind?: string; name?: string };
      if (kind === 'definedTypeLinkNode' && name !== undefined && !this.#used.has(name)) {
        this.#used.add(name);
        parts.push(this.#types.get(name));
      }
      parts.push(...Object.values(part));
    }
  }

  #read(json: unknown, level: number): TypeNode {
    if (level > MAX_LEVELS) throw nested();
    const node = unwrapped(json);
    const inner = (name: string): TypeNode => this.#read(memberOf(node, name), level + 1);
    const kind = textOf(memberOf(node, 'kind')) ?? '';
    switch (kind) {
      case 'numberTypeNode':
        return numberOf(node);
      case 'booleanTypeNode':
        return { kind, size: prefixOf(memberOf(node, 'size'), 'u8') };
      case 'publicKeyTypeNode':
      case 'bytesTypeNode':
        return { kind };
      case 'stringTypeNode': {
        const encoding = ENCODINGS.find((known) => known === (memberOf(node, 'encoding') ?? 'utf8'));
        if (encoding === undefined) throw unsupported('text of another encoding');
        return { kind, encoding };
      }
      case 'fixedSizeTypeNode':
        return { kind, size: this.#length(memberOf(node, 'size')), type: inner('type') };
      case 'sizePrefixTypeNode':
        return { kind, prefix: prefixOf(memberOf(node, 'prefix'), 'u32'), type: inner('type') };
      case 'arrayTypeNode':
      case 'setTypeNode':
        return this.#list(inner('item'), this.#count(memberOf(node, 'count')));
      case 'mapTypeNode':
        return {
          kind,
          key: this.#key(inner('key')),
          value: inner('value'),
          count: this.#count(memberOf(node, 'count')),
        };
      case 'optionTypeNode':
        return {
          kind,
          item: inner('item'),
          prefix: prefixOf(memberOf(node, 'prefix'), 'u8'),
          fixed: memberOf(node, 'fixed') === true,
        };
      case 'zeroableOptionTypeNode': {
        const zeroValue = memberOf(node, 'zeroValue');
        return { kind, item: inner('item'), ...(zeroValue !== undefined && { zeroValue: this.#constant(zeroValue) }) };
      }
      case 'remainderOptionTypeNode':
        return { kind, item: inner('item') };
      case 'hiddenPrefixTypeNode':
        return { kind, prefix: this.#constants(memberOf(node, 'prefix')), type: inner('type') };
      case 'hiddenSuffixTypeNode':
        return { kind, suffix: this.#constants(memberOf(node, 'suffix')), type: inner('type') };
      case 'structTypeNode':
        return this.#struct(node, level);
      case 'tupleTypeNode':
        return this.#tuple(node, level);
      case 'enumTypeNode':
        return this.#enum(node, level);
      case 'definedTypeLinkNode':
        return this.#link(node);
      default:
        throw unsupported(kind);
    }
  }

  #length(json: unknown): number {
    if (Number.isSafeInteger(json) && (json as number) >= 0) return json as number;
    throw new OperationRefused('a length is no whole number');
  }

  #count(json: unknown): CountNode {
    const kind = memberOf(json, 'kind');
    if (kind === 'fixedCountNode') return { kind, value: this.#length(memberOf(json, 'value')) };
    if (kind === 'prefixedCountNode') return { kind, prefix: prefixOf(memberOf(json, 'prefix'), 'u32') };
    if (kind === 'remainderCountNode') return { kind };
    throw unsupported('list of unknown length');
  }

  /** A list of bytes is one value of bytes. */
  #list(item: TypeNode, count: CountNode): TypeNode {
    if (item.kind !== 'numberTypeNode' || item.format !== 'u8') return { kind: 'arrayTypeNode', item, count };
    const type = { kind: 'bytesTypeNode' } as const;
    if (count.kind === 'fixedCountNode') return { kind: 'fixedSizeTypeNode', size: count.value, type };
    return count.kind === 'prefixedCountNode' ? { kind: 'sizePrefixTypeNode', prefix: count.prefix, type } : type;
  }

  #key(type: TypeNode): TypeNode {
    const key = type.kind === 'fixedSizeTypeNode' || type.kind === 'sizePrefixTypeNode' ? type.type : type;
    if (key.kind === 'stringTypeNode' || key.kind === 'publicKeyTypeNode' || key.kind === 'numberTypeNode') return type;
    throw unsupported('map by keys that are neither text, number nor public key');
  }

  #constant(json: unknown): ConstantNode {
    const bytes = constantBytes(this.#read(memberOf(json, 'type'), 0), memberOf(json, 'value'));
    if (bytes === undefined) throw unsupported('constant');
    const value = { kind: 'bytesValueNode', encoding: 'base16', data: toHex(bytes) } as const;
    return { kind: 'constantValueNode', type: { kind: 'bytesTypeNode' }, value };
  }

  #constants(json: unknown): ConstantNode[] {
    return listOf(json).map((constant) => this.#constant(constant));
  }

  #struct(node: unknown, level: number): StructNode {
    const names = new Set<string>();
    const fields = listOf(memberOf(node, 'fields')).map((field) => {
      const name = snakeCase(textOf(memberOf(field, 'name')) ?? '');
      if (names.has(name)) throw new OperationRefused(`a structure has two fields ${name}`);
      names.add(name);
      return {
        kind: 'structFieldTypeNode' as const,
        name,
        type: this.#read(memberOf(field, 'type'), level + 1),
      };
    });
    return { kind: 'structTypeNode', fields };
  }

  #tuple(node: unknown, level: number): Extract<TypeNode, { kind: 'tupleTypeNode' }> {
    return { kind: 'tupleTypeNode', items: listOf(memberOf(node, 'items')).map((item) => this.#read(item, level + 1)) };
  }

  #enum(node: unknown, level: number): EnumNode {
    const names = new Set<string>();
    const variants = listOf(memberOf(node, 'variants')).map((variant, index): VariantNode => {
      const name = snakeCase(textOf(memberOf(variant, 'name')) ?? '');
      if (names.has(name)) throw new OperationRefused(`an enumeration has two variants ${name}`);
      names.add(name);
      const discriminator = memberOf(variant, 'discriminator');
      if (discriminator !== undefined && discriminator !== index) throw unsupported('enumeration with chosen numbers');
      const kind = memberOf(variant, 'kind');
      if (kind === 'enumEmptyVariantTypeNode') return { kind, name };
      if (kind === 'enumStructVariantTypeNode') {
        return { kind, name, struct: this.#struct(memberOf(variant, 'struct'), level + 1) };
      }
      if (kind === 'enumTupleVariantTypeNode') {
        return { kind, name, tuple: this.#tuple(memberOf(variant, 'tuple'), level + 1) };
      }
      throw unsupported('unknown variant');
    });
    return { kind: 'enumTypeNode', variants, size: prefixOf(memberOf(node, 'size'), 'u8') };
  }
}

/** The converted types of a program. All its instructions and accounts share them. */
export class KnownTypes {
  readonly types = new Map<string, TypeNode>();
  readonly measures = new TypeMeasures(this.types);
}

/** Returns the type of the port for values of a type, and whether the value may be missing. */
export function portOf(reader: TypeReader, type: TypeNode): { port: string; isOptional: boolean } {
  const found = reader.resolve(type);
  switch (found.kind) {
    case 'numberTypeNode':
      return { port: found.format === 'shortU16' ? 'u16' : found.format, isOptional: false };
    case 'booleanTypeNode':
      return { port: 'bool', isOptional: false };
    case 'publicKeyTypeNode':
      return { port: 'pubkey', isOptional: false };
    case 'bytesTypeNode':
      return { port: 'bytes', isOptional: false };
    case 'stringTypeNode':
      return { port: 'string', isOptional: false };
    case 'fixedSizeTypeNode':
    case 'sizePrefixTypeNode':
    case 'hiddenPrefixTypeNode':
    case 'hiddenSuffixTypeNode':
      return portOf(reader, found.type);
    case 'structTypeNode':
    case 'mapTypeNode':
      return { port: 'object', isOptional: false };
    case 'arrayTypeNode':
    case 'tupleTypeNode':
      return { port: 'array', isOptional: false };
    case 'optionTypeNode':
    case 'zeroableOptionTypeNode':
    case 'remainderOptionTypeNode':
      return { port: portOf(reader, found.item).port, isOptional: true };
    case 'enumTypeNode': {
      const isPlain = found.variants.every(({ kind }) => kind === 'enumEmptyVariantTypeNode');
      return { port: isPlain ? 'string' : 'free', isOptional: false };
    }
    case 'definedTypeLinkNode':
      throw new OperationRefused(`there is no type ${found.name}`);
  }
}
