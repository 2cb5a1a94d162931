import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { type DrawnInput, type DrawnNode, isObject, type Json, objectAt } from '../../shared/graph/drawn_node.ts';
import { prepareForm } from '../../shared/form/prepare_schema.ts';

/** The JSON Schema of a type's plain value, for inputs without a field in the definition's form. */
const SCHEMAS: Record<string, RJSFSchema> = {
  bool: { type: 'boolean' },
  f32: { type: 'number' },
  f64: { type: 'number' },
  decimal: { type: 'number' },
  string: { type: 'string' },
  pubkey: { type: 'string' },
  keypair: { type: 'string' },
  address: { type: 'string' },
  signature: { type: 'string' },
};
for (const bits of [8, 16, 32, 64, 128]) {
  SCHEMAS[`u${bits}`] = { type: 'integer', minimum: 0 };
  SCHEMAS[`i${bits}`] = { type: 'integer' };
}

/** Makes the field of an input that the definition's form lacks; any JSON if the input accepts several types. */
const derivedField = ({ name, types, description }: DrawnInput): RJSFSchema => ({
  ...(types.length === 1 ? SCHEMAS[types[0]!] : {}),
  title: name,
  ...(description !== '' && { description }),
});

/** True for nodes whose only port has the name of their label. */
const isLabelled = ({ nodeId }: DrawnNode): boolean => nodeId === 'flow_input' || nodeId === 'flow_output';

/** Makes the fields of a node beyond those of its definition's form. */
function furtherFields(node: DrawnNode, known: Json, connected: ReadonlySet<string>): Record<string, RJSFSchema> {
  if (isLabelled(node)) {
    return {
      ...(known.label === undefined && { label: { type: 'string', title: 'Label' } }),
      ...(node.nodeId === 'flow_input' && known.form_label === undefined && { form_label: { title: 'Default' } }),
    };
  }
  const inputs = node.inputs.filter(({ id, name }) => name !== '' && known[name] === undefined && !connected.has(id));
  return Object.fromEntries(inputs.map((input) => [input.name, derivedField(input)]));
}

/** Chooses a code editor for inputs that contain code. */
const codeFields = ({ nodeId }: DrawnNode): UiSchema =>
  nodeId.startsWith('rhai_script_') ? { source: { 'ui:field': 'code' } } : {};

/**
 * Makes the form of a node: its definition's form, with a field for each input that the form lacks. Inputs with an edge
 * need no field, because the edge supplies the value.
 */
export function nodeForm(
  json: Json,
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
  return { schema: prepared.schema, uiSchema: { ...prepared.uiSchema, ...codeFields(node) } };
}
