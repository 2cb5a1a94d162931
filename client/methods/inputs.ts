import type { Value, ValueMap } from '../../types/values/value.ts';
import { FlowError } from '../flow_error.ts';
import { fromJavaScript } from '../../types/values/json/javascript.ts';
import { type PlainValue, withValueErrors } from '../plain_value.ts';

/** The inputs of a start, as two members of the request's body. */
interface StartInputs {
  /** Readable JSON, which has no type tags. The backend converts it by the deployment's types. */
  values: { [name: string]: unknown };
  /** Tagged values. */
  inputs: ValueMap;
}

/**
 * Tests whether JSON can represent the value. A value that passes is sent as JSON, and the backend converts it by the
 * deployment's types. Bytes, and numbers such as Infinity, do not pass and are sent tagged.
 */
function isJson(value: unknown): boolean {
  if (value === null || ['boolean', 'string', 'bigint'].includes(typeof value)) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  return (prototype === null || prototype === Object.prototype) && Object.values(value as object).every(isJson);
}

/**
 * Sorts the inputs into readable JSON and tagged values. Undefined inputs are omitted. Throws value_invalid with the
 * path of a value that can't be converted, or with a name that both `plain` and `tagged` contain.
 */
export function readInputs(plain: object, tagged: ValueMap = {}): StartInputs {
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  const twice = given.find(([name]) => Object.hasOwn(tagged, name));
  if (twice !== undefined) {
    throw new FlowError({
      code: 'value_invalid',
      message: `The input ${twice[0]} is given twice: as plain JSON and as a tagged value.`,
    });
  }
  // The conversion comes before `isJson`, because only the conversion detects cycles.
  const converted = given.map(([name, value]): [string, PlainValue, Value] => [
    name,
    value,
    withValueErrors(`The input ${name} cannot be converted to a value`, () => fromJavaScript(value)),
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
