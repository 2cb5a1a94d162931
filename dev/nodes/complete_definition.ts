import { isObject } from '../../types/values/value.ts';

/** The members of `data` that are the same in all definitions of the project. */
const COMMON_DATA = {
  node_definition_version: '0.1',
  unique_id: '',
  related_to: [],
  resources: { source_code_url: '', documentation_url: '' },
  usage: {
    license: 'MIT',
    license_url: '',
    pricing: { currency: 'USDC', purchase_price: 0, price_per_run: 0, custom: { unit: 'monthly', value: '0' } },
  },
  authors: [{ name: 'flow-deployments', contact: '' }],
  design: { width: 0, height: 0, icon_url: '', backgroundColor: '#ffffff', backgroundColorDark: '#000000' },
  options: {},
};

const withDefaults = (ports: unknown, defaults: object): unknown =>
  Array.isArray(ports) ? ports.map((port) => isObject(port) ? { ...defaults, ...port } : port) : ports;

const SCHEMA = 'targets_form.json_schema';
const LOOK = 'targets_form.ui_schema';

/** Adds the titles and the order of the fields to a form. The order is lost when the database stores the fields. */
function completeForm({ [SCHEMA]: schema = {}, [LOOK]: look = {} }: Record<string, unknown>): object {
  if (!isObject(schema) || !isObject(schema.properties)) return { [SCHEMA]: schema, [LOOK]: look };
  const fields = Object.entries(schema.properties);
  const titled = fields.map(([title, field]) => [title, isObject(field) ? { title, ...field } : field]);
  return {
    [SCHEMA]: { ...schema, properties: Object.fromEntries(titled) },
    [LOOK]: isObject(look) ? { 'ui:order': fields.map(([name]) => name), ...look } : look,
  };
}

/**
 * Adds the members that a definition of the project leaves out, because they say nothing. Editors of other projects may
 * expect them. A definition of a wrong form keeps its faults, so that the database reports them.
 */
export function completeDefinition(definition: unknown): Record<string, unknown> {
  const given = isObject(definition) ? definition : {};
  const { data, sources, targets } = given;
  return {
    ...given,
    ...completeForm(given),
    data: isObject(data) ? { ...COMMON_DATA, ...data } : data,
    sources: withDefaults(sources, { defaultValue: '' }),
    targets: withDefaults(targets, { required: false, passthrough: false, defaultValue: '' }),
  };
}
