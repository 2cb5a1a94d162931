import type { NodeDefinition } from '../../../types/node_definition.ts';

const INPUT_NAMES = ['a', 'b', 'c', 'd', 'e'];
const OUTPUT_NAMES = ['u', 'v', 'x', 'y', 'z'];

const count = (number: number, noun: string): string =>
  `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`;

/** The members that all scripts have. */
type Common = Pick<NodeDefinition, 'type' | 'data' | 'targets_form.ui_schema'>;

const makeCommon = (data: { node_id: string; display_name: string; description: string }): Common => ({
  type: 'native',
  data: {
    version: '0.1',
    ...data,
    effects: 'none',
    tags: ['core'],
    resources: { source_code_url: '', documentation_url: 'https://rhai.rs/book' },
  },
  'targets_form.ui_schema': { 'source': { 'ui:widget': 'textarea' }, 'ui:order': ['source'] },
});

const MEANING =
  'its inputs are variables of the script. An output is the value that the variable of its name has at the end. ' +
  'If the node has a single output and the script does not set it, the output is the value of the last statement.';

/**
 * The script node whose ports the flow's author adds and names. A new node of this kind has one input and one output.
 */
export const freeDefinition: NodeDefinition = {
  ...makeCommon({
    node_id: 'rhai_script',
    display_name: 'Script',
    description: `Runs a Rhai script with inputs and outputs of your own: ${MEANING}`,
  }),
  sources: [{
    name: 'output',
    type: 'free',
    optional: true,
    tooltip: 'The value of the variable output at the end of the script',
  }],
  targets: [{
    name: 'input',
    type_bounds: ['free'],
    defaultValue: null,
    tooltip: 'The variable input of the script',
  }],
  'targets_form.json_schema': {
    type: 'object',
    title: 'Rhai script',
    required: ['source'],
    properties: { source: { title: 'source', type: 'string', default: 'input' } },
  },
};

/** Makes the definition of the script node with this number of inputs and outputs. */
function makeSize(inputCount: number, outputCount: number): NodeDefinition {
  return {
    ...makeCommon({
      node_id: `rhai_script_${inputCount}x${outputCount}`,
      display_name: `Rhai Script ${inputCount}x${outputCount}`,
      description: `Runs a Rhai script with ${count(inputCount, 'input')} and ${
        count(outputCount, 'output')
      }: ${MEANING}`,
    }),
    sources: OUTPUT_NAMES.slice(0, outputCount).map((name) => ({
      name,
      type: 'free',
      optional: true,
      tooltip: `The value of the variable ${name} at the end of the script`,
    })),
    targets: [
      {
        name: 'source',
        type_bounds: ['string'],
        required: true,
        defaultValue: null,
        tooltip: 'The text of the script',
      },
      ...INPUT_NAMES.slice(0, inputCount).map((name) => ({
        name,
        type_bounds: ['free'],
        defaultValue: null,
        tooltip: `The variable ${name} of the script`,
      })),
    ],
    'targets_form.json_schema': {
      type: 'object',
      title: 'Rhai script',
      properties: { source: { title: 'source', type: 'string' } },
    },
  };
}

/**
 * One definition for each combination of 0 to 5 inputs and 1 to 5 outputs. They are kept for flows that have such
 * nodes.
 */
export const sizeDefinitions: NodeDefinition[] = Array.from(
  { length: INPUT_NAMES.length + 1 },
  (_, inputCount) => inputCount,
).flatMap((inputCount) => OUTPUT_NAMES.map((_, index) => makeSize(inputCount, index + 1)));

/** What `dev/nodes/publish_nodes.ts` reads from the folder. */
export const definitions: NodeDefinition[] = [freeDefinition, ...sizeDefinitions];
