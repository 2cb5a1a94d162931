import { LosslessNumber } from 'lossless-json';
import { fromWireJson } from '../../types/values/json/wire_json.ts';
import { floatToPlainText, formatFloat, numberOfDigits, plainDigits } from '../../types/values/number_text.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';

/** Gives a number that code returned its tag and text. The number is a JSON number. */
export type FormOf = (text: string) => Value;

/** The value of a number: a JavaScript number, or the digits if no JavaScript number stands for them. */
type NumberKey = number | string;

/** The end of the integers of 128 bits. */
const INTEGERS_END = 2 ** 128;

/** A float may equal an integer beyond 2^53, whose key is its digits. */
function floatKey(number: number): NumberKey {
  const isLong = Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) <= INTEGERS_END;
  return isLong ? floatToPlainText(formatFloat(number)) : number;
}

const digitsKey = (digits: string): NumberKey => numberOfDigits(digits) ?? digits;

/** The key of a value that is a number; undefined for any other value. */
function keyOf(value: Value): NumberKey | undefined {
  if ('U' in value) return digitsKey(value.U);
  if ('I' in value) return digitsKey(value.I);
  if ('U1' in value) return digitsKey(value.U1);
  if ('I1' in value) return digitsKey(value.I1);
  if ('D' in value) return digitsKey(plainDigits(value.D));
  return 'F' in value && /\d/.test(value.F) ? floatKey(Number(value.F)) : undefined;
}

/** The inputs' numbers by their keys; null for a number that the inputs have in several forms. */
type Forms = Map<NumberKey, Value | null>;

/** True if two numbers have the same tag and text. */
function isSameForm(a: Value, b: Value): boolean {
  const [[tag, text] = []] = Object.entries(a);
  const [[otherTag, otherText] = []] = Object.entries(b);
  return tag === otherTag && text === otherText;
}

function addForms(value: Value, forms: Forms): void {
  if ('A' in value) return value.A.forEach((member) => addForms(member, forms));
  if ('M' in value) return Object.values(value.M).forEach((member) => addForms(member, forms));
  const key = keyOf(value);
  if (key === undefined) return;
  const known = forms.get(key);
  if (known === undefined) forms.set(key, value);
  else if (known !== null && !isSameForm(known, value)) forms.set(key, null);
}

/** Reads a number without a declared type: as an integer if it has no fraction. */
function readNumber(text: string): Value {
  const number = Number(text);
  if (Math.abs(number) > INTEGERS_END) return { F: formatFloat(number) };
  return fromWireJson(new LosslessNumber(floatToPlainText(text.replace('+', ''))));
}

/**
 * Returns the function that gives the numbers of a result their tags and texts. If all numbers of the inputs with this
 * value have the same tag and text, the result gets them. Any other number becomes an integer if it has no fraction, or
 * else a decimal, or a float if neither can hold it. The inputs are read when the first number needs them.
 */
export function formsOf(inputs: ValueMap): FormOf {
  let forms: Forms | undefined;
  return (text) => {
    if (forms === undefined) {
      forms = new Map();
      for (const input of Object.values(inputs)) addForms(input, forms);
    }
    const value = readNumber(text);
    const key = keyOf(value);
    return (key === undefined ? undefined : forms.get(key)) ?? value;
  };
}
