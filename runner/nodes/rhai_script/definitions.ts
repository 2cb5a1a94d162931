import type { NodeDefinition } from '../../../types/node_definition.ts';

const INPUT_NAMES = ['a', 'b', 'c', 'd', 'e'];
const OUTPUT_NAMES = ['u', 'v', 'x', 'y', 'z'];

const count = (number: number, noun: string): string =>
  `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`;

/** Makes the definition of the script node with this number of inputs and outputs. */
function makeDefinition(inputCount: number, outputCount: number): NodeDefinition {
  return {
    type: 'native',
    data: {
      node_definition_version: '0.1',
      unique_id: '',
      node_id: `rhai_script_${inputCount}x${outputCount}`,
      version: '0.1',
      display_name: `Rhai Script ${inputCount}x${outputCount}`,
      description:
        `Runs a Rhai script with ${count(inputCount, 'input')} and ${count(outputCount, 'output')}: its inputs are ` +
        'variables of the script, and its outputs are what the variables of their names hold in the end. A single output that is ' +
        'not set is the value of the last statement.',
      effects: 'none',
      tags: ['core'],
      related_to: [],
      resources: { source_code_url: '', documentation_url: 'https://rhai.rs/book' },
      usage: {
        license: 'MIT',
        license_url: '',
        pricing: { currency: 'USDC', purchase_price: 0, price_per_run: 0, custom: { unit: 'monthly', value: '0' } },
      },
      authors: [{ name: 'flow-deployments', contact: '' }],
      design: { width: 0, height: 0, icon_url: '', backgroundColor: '#ffffff', backgroundColorDark: '#000000' },
      options: {},
    },
    sources: OUTPUT_NAMES.slice(0, outputCount).map((name) => ({
      name,
      type: 'free',
      optional: true,
      defaultValue: '',
      tooltip: `What the variable ${name} of the script holds in the end`,
    })),
    targets: [
      {
        name: 'source',
        type_bounds: ['string'],
        required: true,
        passthrough: false,
        defaultValue: null,
        tooltip: 'The text of the script',
      },
      ...INPUT_NAMES.slice(0, inputCount).map((name) => ({
        name,
        type_bounds: ['free'],
        required: false,
        passthrough: false,
        defaultValue: null,
        tooltip: `The variable ${name} of the script`,
      })),
    ],
    'targets_form.json_schema': {
      type: 'object',
      title: 'Rhai script',
      properties: { source: { title: 'source', type: 'string' } },
    },
    'targets_form.ui_schema': { 'source': { 'ui:widget': 'textarea' }, 'ui:order': ['source'] },
  };
}

/** One definition for each combination of 0 to 5 inputs and 1 to 5 outputs. */
export const definitions: NodeDefinition[] = Array.from(
  { length: INPUT_NAMES.length + 1 },
  (_, inputCount) => inputCount,
).flatMap((inputCount) => OUTPUT_NAMES.map((_, index) => makeDefinition(inputCount, index + 1)));
