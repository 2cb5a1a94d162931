import { isObject } from '../../../types/values/value.ts';
import { type DescribedJson, listOf, memberOf, objectOf, OperationRefused, printable, textOf } from '../documents.ts';
import { parseDocument } from '../parse_document.ts';
import { checkIdl, checkSeeds, GenericSizes } from './bounds.ts';
import type * as Converter from './converter.ts';
import { snakeCase } from './names.ts';

/** An instruction or a type of account in the form of the Codama standard, which is made when it is needed. */
interface Part {
  name: string;
  /** Throws an OperationRefused. */
  node: () => unknown;
}

/** A program, from an IDL of any form. All nodes are JSON of strangers. */
export interface IdlProgram {
  name: string;
  version: string;
  address: string | undefined;
  instructions: Part[];
  accounts: Part[];
  /** Returns the type of this name; undefined if there is none. Throws an OperationRefused. */
  type: (name: string) => unknown;
  /** Returns the derived address of this name. */
  pda: (name: string) => unknown;
  /** Returns the address of another program that the IDL names. */
  addressOf: (program: string) => string | undefined;
  errors: unknown[];
}

/** Returns the part of the IDL that an error of the converter names. Its messages are codes in a built bundle. */
function namedPart(error: unknown): string | undefined {
  const parts = Object.entries(objectOf(memberOf(error, 'context'))).filter(([name]) => name !== '__code');
  return parts.map(([, part]) => part).find((part) => typeof part === 'string');
}

/** Calls the converter of Anchor's IDLs. It checks nothing, and throws other errors for malformed parts. */
function converted<T>(convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (error instanceof OperationRefused) throw error;
    const part = namedPart(error);
    throw new OperationRefused(
      part === undefined ? 'it is malformed' : `it has an unknown part: ${printable(part, 200)}`,
    );
  }
}

const named = (list: unknown): { name: string; json: DescribedJson }[] =>
  listOf(list).map((json) => ({ name: textOf(memberOf(json, 'name')) ?? '', json: objectOf(json) }));

const byName = <T>(parts: readonly { name: string; json: T }[]): ReadonlyMap<string, T> =>
  new Map(parts.toReversed().map(({ name, json }) => [keyOf(name), json]));

/** The forms of IDLs write the same name in different cases. */
function keyOf(name: string): string {
  try {
    return snakeCase(name);
  } catch {
    return '';
  }
}

function fromCodama(root: DescribedJson): IdlProgram {
  const program = objectOf(root.program);
  const parts = (list: unknown): Part[] => named(list).map(({ name, json }) => ({ name, node: () => json }));
  const types = byName(named(program.definedTypes));
  const pdas = byName(named(program.pdas));
  const others = byName(named(root.additionalPrograms));
  return {
    name: textOf(program.name) ?? '',
    version: textOf(program.version) ?? '',
    address: textOf(program.publicKey),
    instructions: parts(program.instructions),
    accounts: parts(program.accounts),
    type: (name) => memberOf(types.get(keyOf(name)), 'type'),
    pda: (name) => pdas.get(keyOf(name)),
    addressOf: (name) => textOf(memberOf(others.get(keyOf(name)), 'publicKey')),
    errors: listOf(program.errors),
  };
}

/** Reads the form of Anchor since 0.30. */
function fromAnchor(idl: DescribedJson, converter: typeof Converter): IdlProgram {
  const metadata = objectOf(idl.metadata);
  const all = named(idl.types);
  const sizes = new GenericSizes(all.map(({ json }) => json));
  const [, generics] = converted(() => converter.extractGenerics(all.map(({ json }) => json) as never));
  const types = byName(all.filter(({ json }) => !Object.hasOwn(json, 'generics')));
  return {
    name: textOf(metadata.name) ?? '',
    version: textOf(metadata.version) ?? '',
    address: textOf(idl.address),
    instructions: named(idl.instructions).map(({ name, json }) => ({
      name,
      node: () => {
        sizes.check(json.args);
        checkSeeds(json.accounts);
        return converted(() => converter.instructionNodeFromAnchorV01(json as never, generics));
      },
    })),
    accounts: named(idl.accounts).map(({ name, json }) => ({
      name,
      node: () => {
        sizes.check(types.get(keyOf(name)));
        const all = [types.get(keyOf(name))].filter((type) => type !== undefined);
        return converted(() => converter.accountNodeFromAnchorV01(json as never, all as never, generics));
      },
    })),
    type: (name) => {
      const json = types.get(keyOf(name));
      if (json === undefined) return undefined;
      sizes.check(json);
      return converted(() => converter.definedTypeNodeFromAnchorV01(json as never, generics).type);
    },
    pda: () => undefined,
    addressOf: () => undefined,
    errors: listOf(idl.errors),
  };
}

/** Reads the form of Anchor before 0.30, and that of Shank. */
function fromOlderAnchor(idl: DescribedJson, converter: typeof Converter): IdlProgram {
  const metadata = objectOf(idl.metadata);
  const origin = metadata.origin === 'shank' ? 'shank' : 'anchor';
  const types = byName([...named(idl.types), ...named(idl.accounts)]);
  return {
    name: textOf(idl.name) ?? '',
    version: textOf(idl.version) ?? '',
    address: textOf(metadata.address),
    instructions: named(idl.instructions).map(({ name, json }, index) => ({
      name,
      node: () => converted(() => converter.instructionNodeFromAnchorV00(json as never, index, origin)),
    })),
    accounts: named(idl.accounts).map(({ name, json }) => ({
      name,
      node: () => converted(() => converter.accountNodeFromAnchorV00(json as never, origin)),
    })),
    type: (name) => {
      const json = types.get(keyOf(name));
      return json && converted(() => converter.definedTypeNodeFromAnchorV00(json as never).type);
    },
    pda: () => undefined,
    addressOf: () => undefined,
    errors: listOf(idl.errors),
  };
}

/** Reads an IDL, as a text in JSON or parsed. Throws an OperationRefused if it has none of the known forms. */
export async function readProgram(document: unknown): Promise<IdlProgram> {
  const idl = typeof document === 'string' ? parseDocument(document) : document;
  checkIdl(idl);
  if (isObject(idl) && idl.kind === 'rootNode' && memberOf(idl.program, 'kind') === 'programNode') {
    return fromCodama(idl);
  }
  if (!isObject(idl) || !Array.isArray(idl.instructions)) {
    throw new OperationRefused('the document is no IDL of Anchor, Shank or Codama');
  }
  // Loaded here, because the converter is large.
  const converter = await import('./converter.ts');
  return typeof idl.address === 'string' && memberOf(idl.metadata, 'spec') !== undefined
    ? fromAnchor(idl, converter)
    : fromOlderAnchor(idl, converter);
}
