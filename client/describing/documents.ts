import { isObject } from '../../types/values/value.ts';

/** A JSON object of a description. */
export type DescribedJson = Record<string, unknown>;

/** The reason why an operation can't be a node. */
export class OperationRefused extends Error {
  override name = 'OperationRefused';
}

/** The most references, members and elements that one operation may lead to. */
const MAX_STEPS = 20_000;
/** The most steps of all operations of a document together. They bound the time and the memory. */
const MAX_DOCUMENT_STEPS = 1_000_000;

const MAX_REFERENCE_CHARACTERS = 2_000;

/** Reads a member of an object of a description. Names such as `__proto__` are members like others. */
export const memberOf = (json: unknown, name: string): unknown =>
  isObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;

/** Reads a text; undefined for any other JSON. */
export const textOf = (json: unknown): string | undefined => typeof json === 'string' ? json : undefined;
/** Reads an object. Any other JSON counts as an empty one. */
export const objectOf = (json: unknown): DescribedJson => isObject(json) ? json : {};
/** Reads a list. Any other JSON counts as an empty one. */
export const listOf = (json: unknown): unknown[] => Array.isArray(json) ? json : [];

/** Returns the first characters of a text, without control characters. */
export const printable = (text: string, most: number): string =>
  text.slice(0, most).replace(/\p{Cc}+/gu, ' ').toWellFormed();

/** What the operations of one document share: the steps that are left, and the names of members. */
export class DocumentReading {
  readonly document: DescribedJson;
  stepsLeft = MAX_DOCUMENT_STEPS;
  /** Without this cache, each operation would list the names of a large object again. */
  readonly #names = new WeakMap<object, string[]>();

  constructor(document: DescribedJson) {
    this.document = document;
  }

  namesOf(json: DescribedJson): string[] {
    const names = this.#names.get(json) ?? Object.keys(json);
    this.#names.set(json, names);
    return names;
  }
}

/** Follows the local references of one document, with a bound on the steps of one operation. */
export class References {
  readonly #reading: DocumentReading;
  #steps = 0;

  constructor(reading: DocumentReading) {
    this.#reading = reading;
  }

  /** Counts steps. Throws an OperationRefused when the operation has led to too many parts of the document. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > MAX_STEPS) throw new OperationRefused('the description of the operation is too large');
    this.#reading.stepsLeft -= count;
    if (this.#reading.stepsLeft < 0) throw new OperationRefused('the document is too large; name fewer operations');
  }

  /** Returns the elements of a list; none if it is no list. Counts a step for each one. */
  list(json: unknown): unknown[] {
    const list = listOf(json);
    this.step(list.length);
    return list;
  }

  /** Returns the members of an object; none if it is no object. Counts a step for each one. */
  members(json: unknown): [name: string, value: unknown][] {
    const object = objectOf(json);
    const names = this.#reading.namesOf(object);
    this.step(names.length);
    return names.map((name) => [name, object[name]]);
  }

  /** Returns the object itself, or the object to which its `$ref` leads. */
  resolve(json: unknown): DescribedJson {
    let found = json;
    for (let hops = 0; hops < 100; hops++) {
      this.step();
      const reference = textOf(memberOf(found, '$ref'));
      if (reference === undefined) return objectOf(found);
      if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE_CHARACTERS) {
        throw new OperationRefused(`the reference ${reference.slice(0, 200)} leads to another document`);
      }
      found = this.#find(reference);
    }
    throw new OperationRefused('a reference leads in a circle');
  }

  #find(reference: string): unknown {
    let found: unknown = this.#reading.document;
    for (const step of reference.slice(2).split('/')) {
      let name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      try {
        name = decodeURIComponent(name);
      } catch {
        // The name has a % of its own.
      }
      found = Array.isArray(found) ? found[Number(name)] : memberOf(found, name);
    }
    if (found === undefined) throw new OperationRefused(`the reference ${reference.slice(0, 200)} leads nowhere`);
    return found;
  }
}
