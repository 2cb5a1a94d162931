import { isExact, JSON_MARK } from './exact.js';

const { apply } = Reflect;
const { defineProperty } = Object;
const integers = BigInt.prototype;
const { stringify } = JSON;
const { includes, replaceAll, startsWith } = String.prototype;
const toText = String;

/** Matches a marked number in JSON. */
const MARKED = /"\\u0000exact:(-?\d+(?:\.\d+)?)"/g;
const ESCAPED_MARK = '\\u0000exact:';

/** The text that stands for an integer in the JSON of the native JSON.stringify. */
function toJSON() {
  return JSON_MARK + toText(this);
}

/** Makes a replacer that gives the author's replacer the numbers themselves, and not their marked texts. */
const replacing = (replacer) =>
  function (name, given) {
    const isMarked = typeof given === 'string' && apply(startsWith, given, [JSON_MARK]);
    const value = apply(replacer, this, [name, isMarked ? this[name] : given]);
    return typeof value === 'bigint' || isExact(value) ? value.toJSON() : value;
  };

/**
 * JSON.stringify that writes an integer beyond 2^53, and a decimal that no JavaScript number holds, as a number with all
 * its digits.
 */
export function stringifyExactly(value, replacer, space) {
  const text = stringify(value, typeof replacer === 'function' ? replacing(replacer) : replacer, space);
  if (text === undefined || !apply(includes, text, [ESCAPED_MARK])) return text;
  return apply(replaceAll, text, [MARKED, '$1']);
}

/** Lets JSON.stringify of the realm write all digits. */
export function installExactJson() {
  const hidden = (value) => ({ value, writable: true, configurable: true });
  defineProperty(integers, 'toJSON', hidden(toJSON));
  defineProperty(JSON, 'stringify', hidden(stringifyExactly));
}
