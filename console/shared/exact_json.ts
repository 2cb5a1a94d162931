/**
 * JSON whose numbers survive, also those that JavaScript would round. Such a number is kept as what `JSON.rawJSON`
 * makes; browsers that lack it round as they always did.
 */
interface ExactJson {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
  parse: (text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const exact = JSON as unknown as ExactJson;

/** Whether a number is written back with the digits that it was read with. */
const isExact = (value: number, source: string): boolean => String(value) === source || Number.isSafeInteger(value);

/** Reads JSON without rounding. `JSON.stringify` writes what it gives as it was. */
export function parseExactly(text: string): unknown {
  return exact.parse(text, (_name, value, context) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || exact.rawJSON === undefined) return value;
    return isExact(value, source) ? value : exact.rawJSON(source);
  });
}

/** The digits of a number that `parseExactly` has read; undefined for anything else. */
export const digitsOf = (value: unknown): string | undefined =>
  typeof value === 'number' || exact.isRawJSON?.(value) === true ? JSON.stringify(value) : undefined;
