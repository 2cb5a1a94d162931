import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { type Field, fieldOf } from '../../../../types/values/port_types.ts';
import {
  type DrawnInput,
  type DrawnNode,
  isObject,
  objectAt,
  type PlainObject,
} from '../../../shared/graph/drawn_node.ts';
import { takesJson } from '../../../shared/form/field_kinds.ts';
import { prepareForm } from '../../../shared/form/prepare_schema.ts';
import { inputTypeNamed } from '../../../../types/values/input_types.ts';
import type { ValueKind } from '../../../shared/form/typed/typed_value.ts';
import { choiceWords, labelOf } from './fields/words.ts';

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
  title: labelOf(name),
  ...(description !== '' && { description }),
});

/** Gives a field of a definition's form a label of words, if its title is only the name of the input. */
const withLabel = (name: string, field: unknown): unknown =>
  isObject(field) && (field.title === undefined || field.title === name) ? { ...field, title: labelOf(name) } : field;

/** The kinds of values that an input of these types takes; empty if it takes every value. */
function kindsOfTypes(types: readonly string[]): ValueKind[] {
  const fields = types.map((
    type,
  ) => (type === 'bytes' ? 'bytes' : type === 'array' || type === 'object' ? type : fieldOf([type])));
  if (fields.some((field) => field === undefined || field === 'json')) return [];
  const has = (...names: string[]) => fields.some((field) => names.includes(String(field)));
  const isStructure = has('array', 'object', 'bytes') || types.includes('keypair');
  return [
    ...(has('text', 'key', 'signature', 'bytes') ? ['text' as const] : []),
    ...(has('integer', 'number') ? ['number' as const] : []),
    ...(has('boolean') ? ['boolean' as const] : []),
    ...(has('array', 'bytes') ? ['list' as const] : []),
    ...(has('object') ? ['map' as const] : []),
    ...(isStructure ? ['json' as const] : []),
  ];
}

/** The kinds of values of each input, and the words and the list of choices. */
function fieldOptions(node: DrawnNode, properties: PlainObject, ui: UiSchema): UiSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const input = node.inputs.find((one) => one.name === name);
      const words = choiceWords(name);
      const kinds: ValueKind[] = name === 'json_schema' || name === 'response_schema'
        ? ['json']
        : kindsOfTypes(input?.types ?? ['free']);
      return [name, {
        ...(isObject(field) && takesJson(field) && kinds.length > 0 && { 'ui:options': { kinds } }),
        ...(words && { 'ui:enumNames': words }),
        // The panel, which scrolls, would clip the list of choices.
        ...(isObject(field) && (field.enum ?? field.oneOf) !== undefined &&
          objectAt(ui, name)['ui:widget'] === undefined && {
          'ui:options': { comboboxProps: { withinPortal: true } },
        }),
      }];
    }),
  );
}

/** The fields of a flow input for its default and its choices, by the type that the author chose. */
function flowInputFields(node: DrawnNode, formData: PlainObject): Record<string, RJSFSchema> {
  if (node.nodeId !== 'flow_input' || node.kind !== 'native') return {};
  const type = inputTypeNamed(formData.type);
  const choices = Array.isArray(formData.choices) ? formData.choices : [];
  const title = 'Default';
  if (choices.length > 0) return { form_label: { title, enum: choices } };
  return {
    form_label: {
      title,
      ...(type !== undefined && schemaOf([type.portType])),
      ...((type?.portType === 'array' || type?.portType === 'object') && { type: type.portType }),
      ...(type?.format !== undefined && { format: type.format }),
    },
  };
}

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
      ...(known.label === undefined && { label: { type: 'string', title: 'Name' } }),
      ...(node.nodeId === 'flow_input' && known.form_label === undefined && { form_label: { title: 'Default' } }),
    };
  }
  const asks = node.nodeId === 'api_input' && known.answered_by === undefined ? ANSWERING : {};
  const code = codeOf(node);
  const isFormOnly = code !== undefined && !node.inputs.some(({ name }) => name === code.name);
  const inputs = node.inputs.filter(({ id, name }) => name !== '' && !Object.hasOwn(known, name) && !connected.has(id));
  return {
    ...asks,
    ...(isFormOnly && known[code.name] === undefined && { [code.name]: { type: 'string', title: labelOf(code.name) } }),
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

/** Offers the user's flows where a node calls flows. */
function calledFlows({ nodeId, kind }: DrawnNode, properties: PlainObject): UiSchema {
  if (kind !== 'native') return {};
  if (nodeId === 'ai_agent' && properties.tools !== undefined) return { tools: { 'ui:field': 'agent_tools' } };
  const isCall = nodeId === 'interflow' || nodeId === 'interflow_instructions';
  return isCall && properties.id !== undefined ? { id: { 'ui:field': 'flow' } } : {};
}

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
  const formData = objectAt(form, 'form_data');
  const properties = objectAt(schema, 'properties');
  const { title: _, ...rest } = schema;
  const whole = {
    ...rest,
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, withLabel(name, field)])),
      ...furtherFields(node, properties, connected),
    },
  };
  const prepared = prepareForm(whole, form.ui_schema);
  const options = fieldOptions(node, whole.properties, prepared.uiSchema);
  return {
    // The form of a definition has no formats, because strangers may have written them.
    schema: { ...prepared.schema, properties: { ...prepared.schema.properties, ...flowInputFields(node, formData) } },
    uiSchema: {
      ...prepared.uiSchema,
      ...Object.fromEntries(
        Object.entries(options).map(([name, field]) => [name, { ...prepared.uiSchema[name], ...field }]),
      ),
      ...codeFields(node),
      ...connectionFields(properties),
      ...answeringFields(node),
      ...calledFlows(node, properties),
      ...constantFields(node, schema, formData),
      ...pairsFields(form.ui_schema),
    },
  };
}
