import type { DeploymentInput } from 'flow-deployments-client';
import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { digitsOf } from '../exact_json.ts';
import { isObject, type PlainObject } from '../graph/drawn_node.ts';
import { takesJson } from './field_kinds.ts';
import { schemaValidator } from './schema_validator.ts';
import { kindsOfJsonTypes } from './typed/typed_value.ts';

/** True if the author of the flow described the input. Otherwise a title is that of a port, and not for this form. */
const isDescribed = ({ description }: DeploymentInput['json_schema']): boolean => description !== undefined;

/**
 * The alternatives of an input that accepts several types. If it accepts numbers and texts, only the texts are listed,
 * because the user may enter numbers that JavaScript can't hold.
 */
function alternativesOf({ json_schema: { anyOf } }: DeploymentInput): PlainObject[] {
  const all = Array.isArray(anyOf) ? anyOf.filter(isObject) : [];
  const isText = all.some(({ type }) => type === 'string');
  return isText ? all.filter(({ type }) => type !== 'integer' && type !== 'number') : all;
}

/** Makes the field of an input. */
function fieldOf(input: DeploymentInput): RJSFSchema {
  const { name, description, json_schema } = input;
  const [only, ...others] = alternativesOf(input);
  const { title } = json_schema;
  return {
    ...(only !== undefined && others.length === 0 ? only : json_schema),
    title: isDescribed(json_schema) && typeof title === 'string' ? title : name,
    ...(description !== '' && { description }),
  };
}

/** The presentation of a field that has no field of its own for its only type. */
function typedUi(input: DeploymentInput, field: RJSFSchema): UiSchema {
  // SAFETY: a default is JSON.
  const example = (input.default ?? null) as string | number | boolean | object | null;
  if (takesJson(field)) return { 'ui:options': { example } };
  const alternatives = alternativesOf(input);
  if (alternatives.length < 2 || field.enum !== undefined) return {};
  const kinds = alternatives.every(({ type }) => type !== undefined)
    ? kindsOfJsonTypes(alternatives.map(({ type }) => type))
    : [];
  return { 'ui:field': 'anything', 'ui:options': { example, kinds, fieldReplacesAnyOrOneOf: true } };
}

/** Makes the form for the inputs of a start. */
export function inputsForm(inputs: readonly DeploymentInput[]): { schema: RJSFSchema; uiSchema: UiSchema } {
  const properties = Object.fromEntries(inputs.map((input) => [input.name, fieldOf(input)]));
  return {
    schema: {
      type: 'object',
      properties,
      required: inputs.filter(({ required }) => required).map(({ name }) => name),
    },
    uiSchema: {
      'ui:order': [...inputs.map(({ name }) => name), '*'],
      ...Object.fromEntries(inputs.map((input) => [input.name, {
        ...typedUi(input, properties[input.name]!),
        ...(input.type_bounds.length === 1 && input.type_bounds[0] !== 'free' && !isDescribed(input.json_schema) && {
          'ui:help': input.type_bounds[0],
        }),
        ...(input.default !== null && {
          'ui:placeholder': `${typeof input.default === 'string' ? input.default : JSON.stringify(input.default)}`,
        }),
      }])),
    },
  };
}

/** Converts stored values to values of the form. If a number has a text field, the field gets its digits. */
export function toFormValues(inputs: readonly DeploymentInput[], values: { [name: string]: unknown }) {
  const takesText = (input: DeploymentInput) =>
    [fieldOf(input), ...alternativesOf(input)].some(({ type }) => type === 'string');
  const isText = new Set(inputs.filter(takesText).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isText.has(name) ? digitsOf(value) ?? value : value]),
  );
}

/** Returns the faults of the form's values, one line each. */
export const faultsOfValues = (inputs: readonly DeploymentInput[], values: unknown): string[] =>
  schemaValidator.validateFormData(values, inputsForm(inputs).schema).errors.map(({ stack }) => stack);
