import type { DeploymentInput } from 'flow-deployments-client';
import { fieldOf } from '../../../../../types/values/port_types.ts';
import { inputTypeNamed } from '../../../../../types/values/input_types.ts';
import { isObject, objectAt, type PlainObject, readEdge } from '../../../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from '../../flow_document.ts';
import { drawnNode } from '../../view.ts';

/** The types that both lists have. If one list accepts every type, returns the other list. */
const inCommon = (known: readonly string[], added: readonly string[]): string[] =>
  known.includes('free')
    ? [...added]
    : added.includes('free')
    ? [...known]
    : known.filter((one) => added.includes(one));

/**
 * The types whose numbers JavaScript would round. A field of such a type contains a text of digits, which the backend
 * converts to a number when a run starts.
 */
const WIDE: Record<string, string> = {
  u64: '^[0-9]{1,20}$',
  u128: '^[0-9]{1,39}$',
  i64: '^-?[0-9]{1,19}$',
  i128: '^-?[0-9]{1,39}$',
  decimal: '^-?[0-9]{1,29}([.][0-9]{1,28})?$',
};

/** The JSON Schema of an input's field; empty if the types do not determine one. */
function schemaOf(types: readonly string[]): DeploymentInput['json_schema'] {
  const pattern = types.map((type) => WIDE[type]).find((one) => one !== undefined);
  const field = types[0] === 'bytes' ? undefined : fieldOf(types);
  if (pattern !== undefined && field !== undefined) return { type: 'string', pattern };
  if (field === 'integer') return { type: 'integer', ...(types[0]?.startsWith('u') && { minimum: 0 }) };
  if (field === 'number' || field === 'boolean') return { type: field };
  if (types.length === 1 && (types[0] === 'array' || types[0] === 'object')) return { type: types[0] };
  return field === undefined || field === 'json' ? {} : { type: 'string' };
}

/** The members of a JSON Schema by which the author of the flow describes an input; undefined if there are none. */
function describedBy(
  { type, title, help, required, choices }: PlainObject,
): DeploymentInput['json_schema'] | undefined {
  const known = inputTypeNamed(type);
  const hasChoices = Array.isArray(choices) && choices.length > 0;
  if (known === undefined && !title && !help && required !== true && !hasChoices) return undefined;
  return {
    ...(known !== undefined && schemaOf([known.portType])),
    ...(known?.format !== undefined && { format: known.format }),
    ...(typeof title === 'string' && title !== '' && { title }),
    description: typeof help === 'string' ? help : '',
    ...(hasChoices && { enum: choices }),
  };
}

/** Returns the name of a flow input: its label, or else the name of its output. The backend uses the same name. */
function nameOf(json: PlainObject): string {
  const { label } = objectAt(json, 'data', 'targets_form', 'form_data');
  return typeof label === 'string' ? label : drawnNode(json).outputs[0]?.name ?? '';
}

const isInput = (json: PlainObject): boolean => {
  const { kind, nodeId } = drawnNode(json);
  return kind === 'native' && nodeId === 'flow_input';
};

/**
 * Returns the inputs of the drawn flow, for the form that starts a run. The types may be guesses, because the backend
 * checks and converts the values when the run starts.
 */
export function draftInputs(document: FlowDocument): DeploymentInput[] {
  const inputs = new Map<string, DeploymentInput>();
  const schemas = new Map<string, DeploymentInput['json_schema']>();
  const nameById = new Map<string, string>();
  for (const json of document.nodes.filter(isInput)) {
    const name = nameOf(json);
    const formData = objectAt(json, 'data', 'targets_form').form_data;
    const form = isObject(formData) ? formData : {};
    const known = inputs.get(name);
    const described = describedBy(form);
    if (described !== undefined && !schemas.has(name)) schemas.set(name, described);
    nameById.set(nodeIdOf(json), name);
    inputs.set(name, {
      name,
      description: String(schemas.get(name)?.description ?? ''),
      type_bounds: ['free'],
      required: known?.required === true || schemas.get(name) === described && form.required === true,
      json_schema: {},
      default: known?.default ?? form.form_label ?? null,
    });
  }
  const nodes = new Map(document.nodes.map((json) => [nodeIdOf(json), json]));
  for (const { source, target, targetHandle } of document.edges.map(readEdge)) {
    const input = inputs.get(nameById.get(source) ?? '');
    const fed = nodes.get(target);
    if (input === undefined || !nameById.has(source) || fed === undefined) continue;
    const port = drawnNode(fed).inputs.find(({ id }) => id === targetHandle);
    if (port === undefined) continue;
    input.type_bounds = inCommon(input.type_bounds, port.types);
    input.required ||= port.isRequired && input.default === null;
    input.description ||= port.description;
  }
  return [...inputs.values()].map((input) => ({
    ...input,
    required: input.required && input.default === null,
    json_schema: { ...schemaOf(input.type_bounds), ...schemas.get(input.name) },
  }));
}
