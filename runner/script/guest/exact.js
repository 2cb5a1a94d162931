// Numbers that a JavaScript number can't hold. They keep all their digits: they print, and compare for equality.

const { defineProperty, freeze } = Object;
const { apply } = Reflect;
const GuestError = TypeError;
const { get, set } = Map.prototype;
const known = new Map();

/**
 * A number with more digits than a JavaScript number holds. There is one frozen object for each text of digits, so ===
 * compares values.
 */
class Exact {
  #digits;

  constructor(digits) {
    this.#digits = digits;
    // JSONata compares objects by their own properties. Values hold no NUL, so no map has this property. It is not
    // enumerable, so that wildcards and Object.keys see no members.
    defineProperty(this, '\0', { value: digits });
    freeze(this);
  }

  /** Returns the digits of an Exact; undefined for anything else. */
  static digitsOf(value) {
    return typeof value === 'object' && value !== null && #digits in value ? value.#digits : undefined;
  }

  toString() {
    return this.#digits;
  }

  /** The marked text becomes a number of JSON in `exact_json.js`. */
  toJSON() {
    return JSON_MARK + this.#digits;
  }

  /** Refuses arithmetic and ordering. `+` does not tell whether it adds or joins texts, so it is refused too. */
  [Symbol.toPrimitive](hint) {
    if (hint === 'string') return this.#digits;
    throw new GuestError(`${tooManyDigits(this.#digits)}; print it with \`\${…}\``);
  }
}

/** The begin of the text that stands for a number in the JSON of the native JSON.stringify. */
export const JSON_MARK = '\0exact:';

export const { digitsOf } = Exact;

export const isExact = (value) => digitsOf(value) !== undefined;

/** The reason why a number can't be computed with. */
export const tooManyDigits = (digits) => `${digits} has too many digits to compute with or to order`;

/** Returns the object that stands for these digits. */
export function exact(digits) {
  const found = apply(get, known, [digits]);
  if (found !== undefined) return found;
  const made = new Exact(digits);
  apply(set, known, [digits, made]);
  return made;
}
