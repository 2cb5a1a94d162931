import { flowLimits } from '../../types/limits/flows.ts';
import { fromWireJson } from '../../types/values/json/wire_json.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import { type LosslessJson, type Value, ValueError, type ValueMap } from '../../types/values/value.ts';
import { type Condition, readCondition } from './condition.ts';

/** The most cases of a node. The database checks this limit when a flow is deployed. */
const { switch_cases: { value: MAX_CASES } } = flowLimits;

/** The name of the output for a value that fulfils no case. */
export const DEFAULT = 'default';

/** One case. If a value fulfils its condition, the value goes to the output with the name of the case. */
interface Case {
  name: string;
  condition: Condition;
}

type JsonObject = { [name: string]: LosslessJson };

const isObject = (json: LosslessJson | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/**
 * Reads the parts of a case's condition. For `readCondition`, a `field` that is null or empty is like a missing one.
 */
function partsOf(json: JsonObject): ValueMap {
  const parts: ValueMap = Object.create(null);
  for (const name of ['operator', 'field', 'compare_to']) {
    const member: LosslessJson | undefined = Object.hasOwn(json, name) ? json[name] : undefined;
    if (member !== undefined) parts[name] = fromWireJson(member, [name]);
  }
  return parts;
}

function readCase(json: LosslessJson): Case {
  const name: LosslessJson | undefined = isObject(json) && Object.hasOwn(json, 'name') ? json.name : undefined;
  if (!isObject(json) || typeof name !== 'string' || name === '' || name === DEFAULT) {
    throw new ConversionError(`must be an object with a name other than ${DEFAULT}`);
  }
  return { name, condition: readCondition(partsOf(json)) };
}

/** Reads the ordered cases of form data. Throws a ConversionError that names the wrong case by its index. */
export function readCases(cases: LosslessJson | undefined): Case[] {
  if (!Array.isArray(cases) || cases.length === 0 || cases.length > MAX_CASES) {
    throw new ConversionError(`must be an array of 1 to ${MAX_CASES} cases`, 'form_data.cases');
  }
  return cases.map((json, index) => {
    try {
      return readCase(json);
    } catch (error) {
      if (!(error instanceof ConversionError || error instanceof ValueError)) throw error;
      throw new ConversionError(error.message, `form_data.cases[${index}]`);
    }
  });
}

/**
 * Returns the name of the first case that a value fulfils; undefined if it fulfils no case. An error names the case by
 * its index.
 */
export function firstCase(cases: readonly Case[], value: Value, input: string): string | undefined {
  for (const [index, { name, condition }] of cases.entries()) {
    try {
      if (condition(value)) return name;
    } catch (error) {
      if (!(error instanceof ConversionError) || error.input !== undefined) throw error;
      throw new ConversionError(`cases[${index}]: ${error.reason}`, input);
    }
  }
  return undefined;
}
