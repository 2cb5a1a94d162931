import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { type Field, fieldOf } from '../../../../types/values/port_types.ts';
import {
  type DrawnInput,
  type DrawnNode,
  isObject,
  objectAt,
  type PlainObject,
} from '../../../shared/graph/drawn_node.ts';
import { prepareForm } from '../../../shared/form/prepare_schema.ts';

/** The JSON Schema of each kind of field. The kind `json` accepts any value, so it has no schema. */
const SCHEMAS: { readonly [field in Exclude<Field, 'json'>]: RJSFSchema } = {
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  text: { type: 'string' },
  key: { type: 'string' },
  signature: { type: 'string' },
};

/**
 * The schema of an input's field. The field of an input with several types accepts any JSON. The field of an input for
 * bytes also does, because bytes may be an array of numbers.
 */
function schemaOf(types: readonly string[]): RJSFSchema {
  const field = types.length === 1 && types[0] !== 'bytes' ? fieldOf(types) : undefined;
  if (field === undefined || field === 'json') return {};
  return { ...SCHEMAS[field], ...(field === 'integer' && types[0]!.startsWith('u') && { minimum: 0 }) };
}

/** Makes a field for an input that has none in the definition's form. */
const derivedField = ({ name, types, description }: DrawnInput): RJSFSchema => ({
  ...schemaOf(types),
  title: name,
  ...(description !== '' && { description }),
});

/** True for nodes that name their only port by their label. */
const isLabelled = ({ nodeId }: DrawnNode): boolean => nodeId === 'flow_input' || nodeId === 'flow_output';

/** The input that contains code, and its language. */
export function codeOf({ nodeId }: DrawnNode): { name: string; language: CodeOptions['language'] } | undefined {
  if (nodeId === 'javascript') return { name: 'source', language: 'javascript' };
  if (nodeId === 'jsonata') return { name: 'expression', language: 'jsonata' };
  return nodeId.startsWith('rhai_script') ? { name: 'source', language: 'rhai' } : undefined;
}

/** The fields of a node API Input that older definitions lack. */
const ANSWERING: Record<string, RJSFSchema> = {
  answered_by: { title: 'Who may answer' },
  shown_inputs: { type: 'array', items: { type: 'string' } },
};

/** Makes fields for the inputs of a node that have none in the form of its definition. */
function furtherFields(
  node: DrawnNode,
  known: PlainObject,
  connected: ReadonlySet<string>,
): Record<string, RJSFSchema> {
  if (isLabelled(node)) {
    return {
      ...(known.label === undefined && { label: { type: 'string', title: 'Label' } }),
      ...(node.nodeId === 'flow_input' && known.form_label === undefined && { form_label: { title: 'Default' } }),
    };
  }
  const asks = node.nodeId === 'api_input' && known.answered_by === undefined ? ANSWERING : {};
  const code = codeOf(node);
  const isFormOnly = code !== undefined && !node.inputs.some(({ name }) => name === code.name);
  const inputs = node.inputs.filter(({ id, name }) => name !== '' && !Object.hasOwn(known, name) && !connected.has(id));
  return {
    ...asks,
    ...(isFormOnly && known[code.name] === undefined && { [code.name]: { type: 'string', title: code.name } }),
    ...Object.fromEntries(inputs.map((input) => [input.name, derivedField(input)])),
  };
}

/** The options of a field for code. */
export interface CodeOptions {
  language: 'rhai' | 'javascript' | 'jsonata';
  /** The names that the code may use. */
  inputs: string[];
  /** The heading of the dialog. */
  title: string;
}

/** Chooses a code editor for an input that contains code. */
function codeFields(node: DrawnNode): UiSchema {
  const code = codeOf(node);
  if (code === undefined) return {};
  // The context of a JSONata expression is the value of the input `input`, so the expression can't name inputs.
  const names = code.language === 'jsonata' ? [] : node.inputs.map(({ name }) => name);
  const inputs = names.filter((name) => name !== code.name);
  const options: CodeOptions = { language: code.language, inputs, title: node.title };
  return { [code.name]: { 'ui:field': 'code', 'ui:options': { ...options } } };
}

/** Offers the stored connections in a field `connection`. */
const connectionFields = (properties: PlainObject): UiSchema =>
  properties.connection === undefined ? {} : { connection: { 'ui:field': 'connection' } };

/** Offers the people who may answer, also in forms of older definitions. */
const answeringFields = ({ nodeId }: DrawnNode): UiSchema =>
  nodeId === 'api_input'
    ? {
      answered_by: { 'ui:field': 'answered_by' },
      shown_inputs: {
        'ui:title': 'Inputs to show',
        'ui:description': 'Names of inputs of the run that those who answer see.',
      },
    }
    : {};

/** Gives texts and JSON of a constant room for lines. Forms of older definitions take any value, and stay as they are. */
function constantFields(node: DrawnNode, schema: PlainObject, formData: PlainObject): UiSchema {
  const hasLines = formData.type === 'text' || formData.type === 'JSON';
  return node.nodeId === 'const' && isObject(schema.dependencies) && hasLines
    ? { value: { 'ui:widget': 'textarea' } }
    : {};
}

/** Shows rows of names and values where the definition asks for them. */
const pairsFields = (ui: unknown): UiSchema =>
  Object.fromEntries(
    Object.entries(isObject(ui) ? ui : {}).filter(([, field]) => isObject(field) && field['ui:field'] === 'pairs')
      .map(([name]) => [name, { 'ui:field': 'pairs' }]),
  );

/**
 * Makes the form of a node: its definition's form, with a field for each input that the form lacks. Inputs with an edge
 * need no field, because the edge supplies the value.
 */
export function nodeForm(
  json: PlainObject,
  node: DrawnNode,
  connected: ReadonlySet<string>,
): { schema: RJSFSchema; uiSchema: UiSchema } {
  const form = objectAt(json, 'data', 'targets_form');
  const schema = isObject(form.json_schema) ? form.json_schema : {};
  const properties = objectAt(schema, 'properties');
  const { title: _, ...rest } = schema;
  const whole = {
    ...rest,
    type: 'object',
    properties: { ...properties, ...furtherFields(node, properties, connected) },
  };
  const prepared = prepareForm(whole, form.ui_schema);
  return {
    schema: prepared.schema,
    uiSchema: {
      ...prepared.uiSchema,
      ...codeFields(node),
      ...connectionFields(properties),
      ...answeringFields(node),
      ...constantFields(node, schema, objectAt(form, 'form_data')),
      ...pairsFields(form.ui_schema),
    },
  };
}
