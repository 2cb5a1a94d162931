/**
 * JSON functions that keep all digits of all numbers. A number that JavaScript would round becomes an object of
 * `JSON.rawJSON`. Browsers without this function round the number.
 */
interface ExactJson {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
  parse: (text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const exact = JSON as unknown as ExactJson;

/** True if this browser keeps the digits of all numbers. */
export const KEEPS_DIGITS = exact.rawJSON !== undefined;

/** Matches a number of JSON. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * True if JavaScript writes the number exactly like its source, or if the source is an integer that JavaScript holds
 * exactly.
 */
const isExact = (value: number, source: string): boolean =>
  String(value) === source || Number.isSafeInteger(value) && /^-?\d+(\.0+)?$/.test(source);

/** True for the digits of an integer that JavaScript would round. */
export const isRounded = (digits: string): boolean =>
  /^-?(?:0|[1-9]\d*)$/.test(digits) && !Number.isSafeInteger(Number(digits));

/** Parses JSON without rounding. `JSON.stringify` writes the result unchanged. */
export function parseExactly(text: string): unknown {
  return exact.parse(text, (_name, value, context) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || exact.rawJSON === undefined) return value;
    return isExact(value, source) ? value : exact.rawJSON(source);
  });
}

/** Returns the digits of a number that `parseExactly` has read; undefined for anything else. */
export const digitsOf = (value: unknown): string | undefined =>
  typeof value === 'number' || exact.isRawJSON?.(value) === true ? JSON.stringify(value) : undefined;
