import { ConversionError, invalidType, readField, readOptionalField, toText } from '../../types/values/conversion.ts';
import { valueAt, type ValuePath } from '../../types/values/path.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { findText } from '../values/text_search.ts';
import { flowLimits } from '../../types/limits/flows.ts';
import { areEqual } from './equality.ts';
import { type ComparedNumber, compareNumbers, numberOf } from './numbers.ts';

/** The most characters of a field's path. Paths are short, because no value is nested deeper than 64 levels. */
const { field_path_characters: { value: MAX_FIELD_CHARACTERS } } = flowLimits;

/** Says whether a value fulfils the condition. Throws a ConversionError for a value that the operator can't judge. */
export type Condition = (value: Value) => boolean;

/** A test of the value at the field. The value is undefined if the field does not exist. */
type Test = (tested: Value | undefined) => boolean;

/** Makes the error of a value that a test can't judge, or of a missing value. */
function wrongType(tested: Value | undefined, expected: string): ConversionError {
  return tested === undefined
    ? new ConversionError(`there is no value, expected ${expected}`)
    : invalidType(tested, expected);
}

const isNull: Test = (tested) => tested === undefined || 'N' in tested;

const isEmpty: Test = (tested) => {
  if (tested === undefined || 'N' in tested) return true;
  if ('S' in tested) return tested.S === '';
  if ('BY' in tested) return tested.BY === '';
  if ('A' in tested) return tested.A.length === 0;
  return 'M' in tested && Object.keys(tested.M).length === 0;
};

const isBoolean = (wanted: boolean): Test => (tested) => {
  if (tested === undefined || !('B' in tested)) throw wrongType(tested, 'a boolean');
  return tested.B === wanted;
};

const not = (test: Test): Test => (tested) => !test(tested);

const NULL: Value = { N: 0 };
const equals = (other: Value): Test => (tested = NULL) => areEqual(tested, other);

function toNumber(value: Value | undefined): ComparedNumber {
  const number = value && numberOf(value);
  if (number === undefined) throw wrongType(value, 'a number');
  return number;
}

function toSearchedText(value: Value | undefined): string {
  if (value === undefined || !('S' in value)) throw wrongType(value, 'a string');
  return value.S;
}

/** Makes a test that compares numbers. Comparisons with NaN are never true. */
const byOrder = (holds: (order: number) => boolean) => (other: Value): Test => {
  const right = toNumber(other);
  return (tested) => {
    const order = compareNumbers(toNumber(tested), right);
    return order !== undefined && holds(order);
  };
};

const contains = (other: Value): Test => (tested) => {
  if (tested !== undefined && 'A' in tested) return tested.A.some((member) => areEqual(member, other));
  if (tested === undefined || !('S' in tested)) throw wrongType(tested, 'a string or an array');
  if (!('S' in other)) throw new ConversionError(invalidType(other, 'a string').reason, 'compare_to');
  return findText(tested.S, other.S) >= 0;
};

const byText = (holds: (text: string, other: string) => boolean) => (other: Value): Test => {
  const right = toSearchedText(other);
  return (tested) => holds(toSearchedText(tested), right);
};

/** The operators that judge a value alone. */
const UNARY = new Map<string, Test>([
  ['is_null', isNull],
  ['is_not_null', not(isNull)],
  ['is_true', isBoolean(true)],
  ['is_false', isBoolean(false)],
  ['is_empty', isEmpty],
  ['is_not_empty', not(isEmpty)],
]);

/** The operators that compare a value with `compare_to`. Each function checks `compare_to` once and returns a test. */
const BINARY = new Map<string, (other: Value) => Test>([
  ['eq', equals],
  ['ne', (other) => not(equals(other))],
  ['gt', byOrder((order) => order > 0)],
  ['lt', byOrder((order) => order < 0)],
  ['gte', byOrder((order) => order >= 0)],
  ['lte', byOrder((order) => order <= 0)],
  ['contains', contains],
  ['starts_with', byText((text, start) => text.startsWith(start))],
  ['ends_with', byText((text, end) => text.endsWith(end))],
]);

/** All operators, in the order in which they are listed. */
export const OPERATORS: readonly string[] = [...UNARY.keys(), ...BINARY.keys()];

/**
 * Reads a path whose names are separated by dots. A number is the index of an array. The empty text means the whole
 * value.
 */
export function parseField(text: string): ValuePath {
  if (text.length > MAX_FIELD_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_FIELD_CHARACTERS} characters`, 'field');
  }
  const names = text === '' ? [] : text.split('.');
  if (names.includes('')) {
    throw new ConversionError('must be names with single dots between them, such as user.name', 'field');
  }
  return names;
}

/** Makes the test of an operator. The error about a wrong `compare_to` names that input. */
function makeTest(operator: string, parts: ValueMap): Test {
  const unary = UNARY.get(operator);
  if (unary !== undefined) return unary;
  const makeBinary = BINARY.get(operator);
  if (makeBinary === undefined) throw new ConversionError(`must be one of ${OPERATORS.join(', ')}`, 'operator');
  return readField(parts, 'compare_to', makeBinary);
}

/**
 * Makes the condition of `operator`, `field` and `compare_to`. An operator that judges the value alone ignores
 * `compare_to`. A field that does not exist counts as null. An error about one of these three inputs names that input.
 * An error about the judged value names no input; `judge` adds the name.
 */
export function readCondition(parts: ValueMap): Condition {
  const test = makeTest(readField(parts, 'operator', toText), parts);
  const path = parseField(readOptionalField(parts, 'field', toText) ?? '');
  if (path.length === 0) return test;
  return (value) => {
    try {
      return test(valueAt(value, path));
    } catch (error) {
      throw error instanceof ConversionError && error.input === undefined
        ? new ConversionError(`at the path in field: ${error.reason}`)
        : error;
    }
  };
}

/**
 * Judges the value of an input. An error names the input. If the value is an element of an array, the error also names
 * its index.
 */
export function judge(condition: Condition, value: Value, input: string, index?: number): boolean {
  try {
    return condition(value);
  } catch (error) {
    if (!(error instanceof ConversionError) || error.input !== undefined) throw error;
    throw new ConversionError(index === undefined ? error.reason : `element ${index}: ${error.reason}`, input);
  }
}
