import { listOf, memberOf, OperationRefused, textOf } from '../documents.ts';

/** The most values of an IDL. The largest one that we know has 40,000. */
const MAX_VALUES = 400_000;
const MAX_LEVELS = 100;
/** The most values that a part of an IDL may have when its generic types are written out. */
const MAX_WRITTEN_OUT = 20_000;
const MAX_SEED_BYTES = 32;

/** Throws an OperationRefused if an IDL has too many values, or is nested too deeply for a converter that recurses. */
export function checkIdl(idl: unknown): void {
  let level: unknown[] = [idl];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > MAX_LEVELS) throw new OperationRefused('the IDL is nested too deeply');
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const part of Object.values(value)) next.push(part);
      if (count + next.length > MAX_VALUES) throw new OperationRefused(`the IDL has more than ${MAX_VALUES} values`);
    }
    level = next;
  }
}

/** Throws an OperationRefused if a constant seed is too long. The converter takes quadratic time for it. */
export function checkSeeds(accounts: unknown): void {
  for (const account of listOf(accounts)) {
    checkSeeds(memberOf(account, 'accounts'));
    const pda = memberOf(account, 'pda');
    for (const seed of [memberOf(pda, 'program'), ...listOf(memberOf(pda, 'seeds'))]) {
      if (listOf(memberOf(seed, 'value')).length > MAX_SEED_BYTES) {
        throw new OperationRefused(`a seed has more than ${MAX_SEED_BYTES} bytes`);
      }
    }
  }
}

/**
 * Bounds the generic types of Anchor. The converter writes them out at each use, so a few types that use each other
 * twice could have any size.
 */
export class GenericSizes {
  readonly #generics = new Map<string, unknown>();
  readonly #sizes = new Map<string, number>();

  constructor(types: readonly unknown[]) {
    for (const type of types) {
      const name = textOf(memberOf(type, 'name'));
      if (name !== undefined && memberOf(type, 'generics') !== undefined) this.#generics.set(name, type);
    }
  }

  /** Throws an OperationRefused if a part of the IDL is too large when its generic types are written out. */
  check(json: unknown): void {
    if (this.#generics.size > 0 && this.#sizeOf(json) > MAX_WRITTEN_OUT) {
      throw new OperationRefused('the generic types are too large when they are written out');
    }
  }

  /** Returns a number that is at least the count of values. */
  #sizeOf(json: unknown): number {
    if (typeof json !== 'object' || json === null) return 1;
    const inside = Object.values(json).reduce((sum: number, part) => sum + this.#sizeOf(part), 1);
    const name = textOf(memberOf(memberOf(json, 'defined'), 'name'));
    // An argument may stand wherever its name does.
    return name !== undefined && this.#generics.has(name) ? inside * this.#sizeOfType(name) : inside;
  }

  #sizeOfType(name: string): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    // A type that uses itself has no end.
    this.#sizes.set(name, Infinity);
    const size = this.#sizeOf(memberOf(this.#generics.get(name), 'type'));
    this.#sizes.set(name, size);
    return size;
  }
}
