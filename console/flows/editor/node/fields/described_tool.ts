import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { DESCRIBED_TYPES } from '../../../../../types/described/types.ts';
import type { Db } from '../../../../shared/api.tsx';
import { nameFilter } from '../../../../shared/definition_search.ts';
import { isObject, objectAt, type PlainObject, readNode } from '../../../../shared/graph/drawn_node.ts';
import { type DrawnDefinition, makeNode } from '../../definition.ts';
import { nodeForm } from '../node_form.ts';

/** The most definitions in the list. A search finds the others. */
const OFFERED = 50;

/** A definition that may be a tool. */
interface ToolChoice {
  /** The text that names the definition in the form data: its type, id and version. */
  value: string;
  label: string;
  title: string;
}

const MEMBERS = ['type', 'node_id', 'version'] as const;

/** Returns the members by which a tool names its definition, as one text; null if the tool names none. */
export const valueOfNode = (node: unknown): string | null => {
  const names = MEMBERS.map((member) => objectAt(node)[member]);
  return names.every((name) => typeof name === 'string') ? JSON.stringify(names) : null;
};

/** Returns the node of a tool that names this definition. */
export function nodeOfValue(value: string): PlainObject {
  const names = JSON.parse(value) as string[];
  return Object.fromEntries(MEMBERS.map((member, index) => [member, names[index]]));
}

/** Returns the text that names a definition in the list. */
export const labelOfDefinition = ({ display_name, node_id, version }: PlainObject): string =>
  `${display_name || node_id} (${node_id} ${version})`;

/** Reads definitions of described nodes whose names fit the search. Instructions need a flow around them. */
export async function readToolChoices(db: Db, search: string, signal: AbortSignal): Promise<ToolChoice[]> {
  const all = db.from('nodes').select('type, node_id, version, title:data->>display_name')
    .in('type', DESCRIBED_TYPES).or('type.neq.solana,data->implementation->>kind.neq.instruction');
  const { data } = await (search.trim() === '' ? all : all.or(nameFilter(search)))
    .order('data->>display_name').order('id').limit(OFFERED).abortSignal(signal).throwOnError();
  const choices = data.map(({ type, node_id, version, title }) => ({
    value: JSON.stringify([type, node_id, version]),
    label: labelOfDefinition({ display_name: title, node_id, version }),
    title: title || String(node_id),
  }));
  // The user's own definition and a public one may have the same names.
  return [...new Map(choices.map((choice) => [choice.value, choice])).values()];
}

/** Reads the definition that a deploy would freeze; null if there is none. */
export async function readToolDefinition(db: Db, value: string, signal: AbortSignal): Promise<DrawnDefinition | null> {
  const { data } = await db.from('nodes').select('*').match(nodeOfValue(value)).order('is_public').limit(1)
    .abortSignal(signal).throwOnError();
  // SAFETY: a row of the table has these columns.
  return (data[0] ?? null) as unknown as DrawnDefinition | null;
}

/** Makes the form in which the author fixes values. No field is required, because the model gives the others. */
export function fixedForm(
  definition: DrawnDefinition,
  formData: PlainObject,
): { schema: RJSFSchema; uiSchema: UiSchema } {
  const node = makeNode(definition);
  const json = {
    ...node,
    data: {
      ...objectAt(node, 'data'),
      targets_form: {
        ...objectAt(node, 'data', 'targets_form'),
        form_data: formData,
      },
    },
  };
  const { schema: { required: _, ...schema }, uiSchema } = nodeForm(json, readNode(json), new Set());
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    // A default would become a fixed value.
    const { default: __, ...rest } = objectAt(field);
    return [name, rest];
  });
  return { schema: { ...schema, properties: Object.fromEntries(properties) }, uiSchema };
}

/** Returns the node of a tool with these fixed values. Fields without a value are left out. */
export function withFixed(node: PlainObject, formData: unknown): PlainObject {
  const fixed = Object.entries(isObject(formData) ? formData : {}).filter(([, value]) => value !== undefined);
  const { form_data: _, ...others } = node;
  return fixed.length === 0 ? others : { ...others, form_data: Object.fromEntries(fixed) };
}

/** Returns the names of the inputs that the model chooses. */
export const chosenByModel = (definition: DrawnDefinition, formData: PlainObject): string[] =>
  readNode(definition).inputs.map(({ name }) => name).filter((name) => !Object.hasOwn(formData, name));
