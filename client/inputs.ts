import type { Value, ValueMap } from '../types/values/value.ts';
import { FlowError } from './flow_error.ts';
import { fromJavaScript } from '../types/values/json/javascript.ts';
import { type PlainValue, withValueErrors } from './plain_value.ts';

/** The inputs of a start, as its body takes them. */
export interface StartInputs {
  /** Plain JSON, of which the backend makes values by the deployment's own types. */
  values: { [name: string]: unknown };
  /** Tagged values. */
  inputs: ValueMap;
}

/**
 * Whether JSON can say the value, so that the deployment's types decide what it becomes. Bytes have a tag of their own,
 * and so has a number that JSON lacks.
 */
function isJson(value: unknown): boolean {
  if (value === null || ['boolean', 'string', 'bigint'].includes(typeof value)) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  return (prototype === null || prototype === Object.prototype) && Object.values(value as object).every(isJson);
}

/**
 * Inputs as a start sends them. An undefined one counts as left out. Throws value_invalid, which names the path of what
 * has no form as a value, and of a name that is in both.
 */
export function readInputs(plain: object, tagged: ValueMap = {}): StartInputs {
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  const twice = given.find(([name]) => Object.hasOwn(tagged, name));
  if (twice !== undefined) {
    throw new FlowError({ code: 'value_invalid', message: `The input ${twice[0]} is given twice, plain and tagged.` });
  }
  // This refuses what has no form, also cycles, before anything else looks at it.
  const converted = given.map(([name, value]): [string, PlainValue, Value] => [
    name,
    value,
    withValueErrors(`The input ${name} has no form as a value`, () => fromJavaScript(value)),
  ]);
  const isPlain = ([, value]: [string, PlainValue, Value]) => isJson(value);
  return {
    values: Object.fromEntries(converted.filter(isPlain).map(([name, value]) => [name, value])),
    inputs: Object.fromEntries([
      ...converted.filter((one) => !isPlain(one)).map(([name, , value]) => [name, value]),
      ...Object.entries(tagged),
    ]),
  };
}
