import type { DeploymentInput } from 'flow-deployments-client';
import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { digitsOf } from '../exact_json.ts';
import { isObject } from '../graph/drawn_node.ts';
import { takesJson } from './field_kinds.ts';
import { schemaValidator } from './schema_validator.ts';

/** True if the author of the flow described the input. Otherwise a title is that of a port, and not for this form. */
const isDescribed = ({ description }: DeploymentInput['json_schema']): boolean => description !== undefined;

/**
 * Makes the field of an input. An input that accepts numbers and texts gets a text field, because the user may enter
 * numbers that JavaScript can't hold.
 */
function fieldOf({ name, description, json_schema }: DeploymentInput): RJSFSchema {
  const alternatives = Array.isArray(json_schema.anyOf) ? json_schema.anyOf.filter(isObject) : [];
  const text = alternatives.find(({ type }) => type === 'string');
  const isNumber = alternatives.some(({ type }) => type === 'integer' || type === 'number');
  const { title } = json_schema;
  return {
    ...(isNumber && text ? text : json_schema),
    title: isDescribed(json_schema) && typeof title === 'string' ? title : name,
    ...(description !== '' && { description }),
  };
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
        ...(takesJson(properties[input.name]!) && { 'ui:options': { example: input.default } }),
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
  const isText = new Set(inputs.filter((input) => fieldOf(input).type === 'string').map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isText.has(name) ? digitsOf(value) ?? value : value]),
  );
}

/** Returns the faults of the form's values, one line each. */
export const faultsOfValues = (inputs: readonly DeploymentInput[], values: unknown): string[] =>
  schemaValidator.validateFormData(values, inputsForm(inputs).schema).errors.map(({ stack }) => stack);
