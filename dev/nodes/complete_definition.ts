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

/**
 * Adds the members that a definition of the project leaves out, because they say nothing. Editors of other projects may
 * expect them. A definition of a wrong form keeps its faults, so that the database reports them.
 */
export function completeDefinition(definition: unknown): Record<string, unknown> {
  const given = isObject(definition) ? definition : {};
  const { data, sources, targets } = given;
  return {
    'targets_form.json_schema': {},
    'targets_form.ui_schema': {},
    ...given,
    data: isObject(data) ? { ...COMMON_DATA, ...data } : data,
    sources: withDefaults(sources, { defaultValue: '' }),
    targets: withDefaults(targets, { required: false, passthrough: false, defaultValue: '' }),
  };
}
