import {
  fromJavaScript,
  type JavaScriptValue,
  mapToJavaScript,
  toJavaScript,
} from '../types/values/json/javascript.ts';
import { decodeValue, decodeValueMap, type Value, ValueError, type ValueMap } from '../types/values/value.ts';
import { FlowError } from './flow_error.ts';

/** What a value is in JavaScript. */
export type PlainValue = JavaScriptValue;

/** Plain values by name. */
export type PlainValues = { [name: string]: PlainValue };

/** Runs what reads values, and turns its error into ours. */
export function withValueErrors<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new FlowError({ code: 'value_invalid', message: `${what}: ${error.message}.`, cause: error });
  }
}

/**
 * What a value is in JavaScript, exactly: integers are bigints, floats numbers, decimals their text (`'2.20'`), because
 * no JavaScript number holds them; keys and signatures are base58, other bytes a Uint8Array, maps plain objects. Throws
 * value_invalid for what is no value.
 */
export const fromValue = (value: Value): PlainValue =>
  withValueErrors('The value is invalid', () => toJavaScript(decodeValue(value)));

/** The values of the answer of a run. Throws answer_invalid when it has another form. */
export function readOutput(output: unknown): ValueMap {
  try {
    const { M } = output as { M: unknown };
    return decodeValueMap(M);
  } catch (error) {
    throw new FlowError({ code: 'answer_invalid', message: "The run's output is not a map of values.", cause: error });
  }
}

/** The same as plain values. */
export const fromOutput = (output: unknown): PlainValues => mapToJavaScript(readOutput(output));

/**
 * The value of a JavaScript value, exactly: numbers as decimals, bigints as integers, texts, booleans, null, bytes,
 * arrays and plain objects. Throws value_invalid, which names the path of anything else.
 */
export const toValue = (js: unknown): Value => withValueErrors('The value is invalid', () => fromJavaScript(js));
