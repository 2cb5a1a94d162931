/** A short script takes room too. */
const MAX_SCRIPTS = 32;

/** What is known of the scripts used last, of so many characters of source text together. */
export class RecentSources<T> {
  readonly #known = new Map<string, T>();
  readonly #maxCharacters: number;
  readonly #maxLength: number;
  #characters = 0;

  /** Scripts longer than `maxLength` characters are not kept at all. */
  constructor(maxCharacters: number, maxLength: number) {
    this.#maxCharacters = maxCharacters;
    this.#maxLength = maxLength;
  }

  get characters(): number {
    return this.#characters;
  }

  get size(): number {
    return this.#known.size;
  }

  get(source: string): T | undefined {
    const known = this.#known.get(source);
    // It is now the one that was used last.
    if (known !== undefined) this.set(source, known);
    return known;
  }

  /** Those that were not used for the longest time make way. */
  set(source: string, known: T): void {
    if (source.length > this.#maxLength) return;
    this.#forget(source);
    this.#known.set(source, known);
    this.#characters += source.length;
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= this.#maxCharacters && this.#known.size <= MAX_SCRIPTS) break;
      this.#forget(oldest);
    }
  }

  #forget(source: string): void {
    if (this.#known.delete(source)) this.#characters -= source.length;
  }
}
