/**
 * The most scripts that are remembered. Their number is limited in addition to their total length, because even a short
 * script takes memory.
 */
const MAX_SCRIPTS = 32;

/**
 * Remembers a fact about each of the last used scripts. The number of scripts and the total length of their sources are
 * limited.
 */
export class RecentSources<T> {
  readonly #known = new Map<string, T>();
  readonly #maxCharacters: number;
  readonly #maxLength: number;
  #characters = 0;

  /** Scripts longer than `maxLength` characters are never remembered. */
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
    // Setting the script again makes it the most recently used script.
    if (known !== undefined) this.set(source, known);
    return known;
  }

  /** Remembers a script. If there are too many, forgets the least recently used scripts. */
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
