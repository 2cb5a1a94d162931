import { isObject } from '../../types/values/value.ts';

/** A JSON object of a description. */
export type DescribedJson = Record<string, unknown>;

/** The reason why an operation can't be a node. */
export class OperationRefused extends Error {
  override name = 'OperationRefused';
}

/** The most references and parts of schemas that one operation may lead to. */
const MAX_STEPS = 20_000;

/** Reads a member of an object of a description. Names such as `__proto__` are members like others. */
export const memberOf = (json: unknown, name: string): unknown =>
  isObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;

export const textOf = (json: unknown): string | undefined => typeof json === 'string' ? json : undefined;
export const objectOf = (json: unknown): DescribedJson => isObject(json) ? json : {};
export const listOf = (json: unknown): unknown[] => Array.isArray(json) ? json : [];

/** Follows the local references of one document, with a bound on the steps of one operation. */
export class References {
  readonly #document: unknown;
  #steps = 0;

  constructor(document: unknown) {
    this.#document = document;
  }

  /** Counts a step. Throws a OperationRefused when the operation has led to too many parts of the document. */
  step(): void {
    if (++this.#steps > MAX_STEPS) throw new OperationRefused('the description of the operation is too large');
  }

  /** Returns the object itself, or the object to which its `$ref` leads. */
  resolve(json: unknown): DescribedJson {
    let found = json;
    for (let hops = 0; hops < 100; hops++) {
      this.step();
      const reference = textOf(memberOf(found, '$ref'));
      if (reference === undefined) return objectOf(found);
      if (!reference.startsWith('#/')) {
        throw new OperationRefused(`the reference ${reference.slice(0, 200)} leads to another document`);
      }
      found = this.#find(reference);
    }
    throw new OperationRefused('a reference leads in a circle');
  }

  #find(reference: string): unknown {
    let found = this.#document;
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
