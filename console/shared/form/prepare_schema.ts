import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { isObject, objectAt, type PlainObject } from '../graph/drawn_node.ts';

/** A schema and its presentation, ready to be rendered. */
interface PreparedForm {
  schema: RJSFSchema;
  uiSchema: UiSchema;
}

/**
 * The removed keywords. A stranger's pattern could block the page for ever. If a schema had an `$id`, its references
 * would not lead into the same schema.
 */
const LEFT_OUT = new Set(['pattern', 'patternProperties', 'format', '$id', '$schema']);

/** True if a reference leads to a part of the same schema. The form library throws for other references. */
function leadsSomewhere(reference: unknown, root: PlainObject): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  const path = reference.slice(1).split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path.reduce<unknown>(
    (outer, name) => isObject(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined,
    root,
  ) !==
    undefined;
}

/** Removes the keywords of `LEFT_OUT`, and references that lead nowhere, at every depth. */
function clean(json: unknown, root: PlainObject): unknown {
  if (Array.isArray(json)) return json.map((member) => clean(member, root));
  if (!isObject(json)) return json;
  const isKept = ([keyword, value]: [string, unknown]) =>
    // A property of the described object may have the name of a keyword. Then the value is an object.
    keyword === '$ref'
      ? isObject(value) || leadsSomewhere(value, root)
      : !LEFT_OUT.has(keyword) || (keyword !== 'patternProperties' && isObject(value));
  return Object.fromEntries(
    Object.entries(json).filter(isKept).map(([keyword, value]) => [keyword, clean(value, root)]),
  );
}

const WIDGETS = new Set(['textarea', 'password', 'radio', 'select', 'checkboxes', 'updown', 'hidden']);
const TEXTS = ['ui:placeholder', 'ui:help', 'ui:description', 'ui:title'];

function prepareOrder(order: unknown, properties: PlainObject): string[] | undefined {
  if (!Array.isArray(order)) return undefined;
  const known = order.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  // `*` stands for all properties that the order omits. The form library throws if the order omits one without having
  // `*`.
  return [...new Set(known), '*'];
}

/** Prepares the `uiSchema` of a schema, and keeps only the parts that are known to work. */
function prepareUi(schema: unknown, ui: unknown): UiSchema {
  if (!isObject(schema)) return {};
  const given = isObject(ui) ? ui : {};
  const prepared: UiSchema = {};
  for (const name of TEXTS) if (typeof given[name] === 'string') prepared[name] = given[name];
  if (given['ui:emptyValue'] !== undefined) prepared['ui:emptyValue'] = given['ui:emptyValue'];
  if (typeof given['ui:widget'] === 'string' && WIDGETS.has(given['ui:widget'])) {
    const isText = schema.type === 'string';
    if (given['ui:widget'] !== 'textarea' || isText) prepared['ui:widget'] = given['ui:widget'];
  }
  const properties = objectAt(schema, 'properties');
  const order = prepareOrder(given['ui:order'], properties);
  if (order !== undefined && Object.keys(properties).length > 0) prepared['ui:order'] = order;
  for (const [name, property] of Object.entries(properties)) prepared[name] = prepareUi(property, given[name]);
  if (isObject(schema.items)) prepared.items = prepareUi(schema.items, given.items);
  return prepared;
}

/** Makes the form of a definition. Parts that would make the form library throw, or block the page, are removed. */
export function prepareForm(schema: unknown, uiSchema: unknown): PreparedForm {
  const root = isObject(schema) ? schema : {};
  // SAFETY: `clean` returns an object for an object.
  const prepared = { type: 'object', ...clean(root, root) as PlainObject } as RJSFSchema;
  return { schema: prepared, uiSchema: prepareUi(prepared, uiSchema) };
}
