import { givenKinds, type Kind } from '../../../types/values/port_types.ts';
import type { DescribedTool, InputDescription, OutputDescription } from '../../../types/deployment_description.ts';
import type { ReadableJson } from '../../../types/values/json/readable_json.ts';

/** A JSON Schema whose instances are objects. */
interface ObjectSchema {
  [keyword: string]: unknown;
  type: 'object';
}

const propertyOf = ({ json_schema, description, default: fallback }: InputDescription) => ({
  ...json_schema,
  ...(description !== '' && { description }),
  ...(fallback !== null && { default: fallback }),
});

/** Returns the JSON Schema of the arguments of a tool. */
const inputSchemaOf = (inputs: InputDescription[]): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(inputs.map((input) => [input.name, propertyOf(input)])),
  required: inputs.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
});

/** The JSON types of readable JSON, by kind of value. Integers beyond 2^53 and decimals are texts. */
const JSON_TYPES: Readonly<Record<Kind, readonly string[]>> = {
  N: ['null'],
  S: ['string'],
  B: ['boolean'],
  U: ['integer', 'string'],
  I: ['integer', 'string'],
  U1: ['integer', 'string'],
  I1: ['integer', 'string'],
  F: ['number'],
  D: ['string'],
  B3: ['string'],
  B6: ['string'],
  BY: ['string'],
  A: ['array'],
  M: ['object'],
  'key text': ['string'],
  wallet: ['object'],
};
const EVERY_TYPE = new Set(Object.values(JSON_TYPES).flat()).size;

/** Returns the JSON types that a value of an output may have; undefined for any. A value may also be null. */
function jsonTypesOf({ type }: OutputDescription): string[] | undefined {
  const types = new Set(['null', ...givenKinds(type).flatMap((kind) => JSON_TYPES[kind])]);
  return types.size === EVERY_TYPE ? undefined : [...types];
}

/** Returns the JSON Schema of the result of a tool. A run may leave out each output. */
const outputSchemaOf = (outputs: OutputDescription[]): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(outputs.map((output) => [output.name, { type: jsonTypesOf(output) }])),
});

/** Describes a deployment in the form of `tools/list`. */
export const toTool = ({ name, description, has_effects, inputs, outputs }: DescribedTool) => ({
  name,
  description,
  inputSchema: inputSchemaOf(inputs),
  outputSchema: outputSchemaOf(outputs),
  annotations: { readOnlyHint: !has_effects },
});

const typeOfJson = (value: ReadableJson): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Replaces the values that the output schema does not allow by null, because clients refuse such a result. */
export function fitOutput(
  output: Record<string, ReadableJson>,
  { outputs }: DescribedTool,
): Record<string, ReadableJson> {
  const allows = (name: string, value: ReadableJson): boolean => {
    const types = outputs.filter((described) => described.name === name).map(jsonTypesOf)[0];
    const type = typeOfJson(value);
    return types === undefined || types.includes(type) || type === 'integer' && types.includes('number');
  };
  return Object.fromEntries(
    Object.entries(output).map(([name, value]) => [name, allows(name, value) ? value : null]),
  );
}
