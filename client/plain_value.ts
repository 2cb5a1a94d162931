import {
  fromJavaScript,
  type JavaScriptValue,
  mapToJavaScript,
  toJavaScript,
} from '../types/values/json/javascript.ts';
import { decodeValue, decodeValueMap, type Value, ValueError, type ValueMap } from '../types/values/value.ts';
import { FlowError } from './flow_error.ts';

/** A value in its JavaScript form. */
export type PlainValue = JavaScriptValue;

/** Plain values by name. */
export type PlainValues = { [name: string]: PlainValue };

/** Calls `work`, and converts a ValueError that it throws to a FlowError. */
export function withValueErrors<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new FlowError({ code: 'value_invalid', message: `${what}: ${error.message}.`, cause: error });
  }
}

/**
 * Converts a value to JavaScript without loss. Integers become bigints, and floats become numbers. Decimals become
 * texts (`'2.20'`), because no JavaScript number holds them exactly. Keys and signatures become base58 texts, other
 * bytes become a Uint8Array, and maps become plain objects. Throws value_invalid if `value` is not a tagged value.
 */
export const fromValue = (value: Value): PlainValue =>
  withValueErrors('The value is invalid', () => toJavaScript(decodeValue(value)));

/** Reads the values in the output of a run. Throws answer_invalid if the output is not a map of values. */
export function readOutput(output: unknown): ValueMap {
  try {
    const { M } = output as { M: unknown };
    return decodeValueMap(M);
  } catch (error) {
    throw new FlowError({ code: 'answer_invalid', message: "The run's output is not a map of values.", cause: error });
  }
}

/** Reads the output of a run as plain values. */
export const fromOutput = (output: unknown): PlainValues => mapToJavaScript(readOutput(output));

/**
 * Converts a JavaScript value to a tagged value without loss. Numbers become decimals, and bigints become integers.
 * Texts, booleans, null, bytes, arrays and plain objects keep their kind. Throws value_invalid with the path of any
 * other value.
 */
export const toValue = (js: unknown): Value => withValueErrors('The value is invalid', () => fromJavaScript(js));
