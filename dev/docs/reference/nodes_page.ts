import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizeDefinitions } from '../../../runner/nodes/rhai_script/definitions.ts';
import { nodeIds, nodeRegistry } from '../../../runner/nodes/registry.ts';
import { nodeExampleSchema } from '../../../types/node_example.ts';
import type { NodeDefinition } from '../../../types/node_definition.ts';
import { projectDir } from '../../stack/paths.ts';
import { markdownTable } from '../markdown_table.ts';
import { page, paragraph } from './page.ts';

/** Groups of nodes. If a node has several of these tags, the first one in this list decides. */
const GROUPS: Record<string, string> = {
  'solana': 'Solana',
  'kv store': 'Key-value stores',
  'storage': 'Files',
  'database': 'Database',
  'http': 'HTTP',
  'ai': 'Models',
  'loop': 'Loops',
  'control flow': 'Branches',
  'interflow': 'Called flows',
  'json': 'Maps and JSON',
  'number': 'Numbers, texts and bytes',
  'text': 'Numbers, texts and bytes',
  'bytes': 'Numbers, texts and bytes',
  'array': 'Arrays',
  'date': 'Time',
  'time': 'Time',
  'core': 'Inputs, outputs and values',
};
const OTHER = 'Others';

const groupOf = ({ data }: NodeDefinition): string =>
  Object.entries(GROUPS).find(([tag]) => data.tags?.includes(tag))?.[1] ?? OTHER;

const portName = (name: string): string => name === '' ? '(named by its label)' : `\`${name}\``;

const inputTable = (targets: NodeDefinition['targets']): string =>
  targets.length === 0 ? 'No inputs.' : markdownTable([
    ['input', 'takes', 'required', 'meaning'],
    ...targets.map(({ name, type_bounds, required, passthrough, tooltip }) => [
      portName(name),
      type_bounds.join(', '),
      required === true ? 'yes' : '',
      `${tooltip ?? ''}${passthrough === true ? ' (also an output)' : ''}`,
    ]),
  ]);

const outputTable = ({ sources, targets }: Pick<NodeDefinition, 'sources' | 'targets'>): string => {
  if (sources.length === 0) {
    return targets.some(({ passthrough }) => passthrough === true) ? 'No outputs of its own.' : 'No outputs.';
  }
  return markdownTable([
    ['output', 'gives', 'may be unset', 'meaning'],
    ...sources.map(({ name, type, optional, tooltip }) => [
      portName(name),
      type,
      optional === true ? 'yes' : '',
      tooltip ?? '',
    ]),
  ]);
};

/** Reads the notes in a node's folder: `notes.md`, a list. */
function notesOf(nodeId: string): string[] {
  const file = join(projectDir, 'runner/nodes', nodeId, 'notes.md');
  return existsSync(file) ? [readFileSync(file, 'utf8').trimEnd()] : [];
}

/** Shows the example in a node's folder, `example.json`. */
function exampleOf(folder: string): string[] {
  const file = join(projectDir, 'runner/nodes', folder, 'example.json');
  const { says, ...values } = nodeExampleSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const members = Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [`Example: ${says}`, `\`\`\`json5\n${members.join('\n')}\n\`\`\``];
}

/** Describes the effects of a node; empty for a node that changes nothing outside. */
const effectsOf = ({ effects }: NodeDefinition['data']): string =>
  effects == null || effects === 'none' ? '' : `Effects: \`${effects}\`.`;

const section = ({ data, sources, targets }: NodeDefinition): string[] =>
  [
    `### ${data.node_id}`,
    paragraph(data.description ?? ''),
    effectsOf(data),
    inputTable(targets),
    outputTable({ sources, targets }),
    ...notesOf(data.node_id),
    ...exampleOf(data.node_id),
  ].filter((block) => block !== '');

/** Makes one entry for all sizes of scripts, which differ in their numbers of inputs and outputs. */
function sizesSection(): string[] {
  const largest = sizeDefinitions.at(-1)!;
  return [
    '### rhai_script_NxM',
    paragraph(
      `A script with N inputs, 0 to ${
        largest.targets.length - 1
      }, and M outputs, 1 to ${largest.sources.length}. It exists for flows that already have such nodes. The palette offers only \`rhai_script\`, to which authors add named ports. Inputs are variables of the script. Outputs are read from the script's variables. A single output may also be the last value of the script.`,
    ),
    inputTable(largest.targets),
    outputTable(largest),
  ];
}

/** Makes docs/reference/nodes.md from the definitions of all native nodes. */
export function nodesPage(): string {
  const definitions = nodeIds().filter((id) => !id.startsWith('rhai_script_')).map((id) =>
    nodeRegistry(id)!.definition
  );
  const groups = new Map([...Object.values(GROUPS), OTHER].toSorted().map((name) => [name, [] as NodeDefinition[]]));
  for (const definition of definitions) groups.get(groupOf(definition))!.push(definition);
  const filled = [...groups].filter(([, members]) => members.length > 0);
  return page(
    'Native nodes',
    '`runner/nodes/<node_id>/definition.json`, the tool tips in it, and `notes.md` and `example.json` beside it',
    paragraph(
      'These are the nodes that the runner executes. The table `nodes` has the same definitions, from which editors draw the nodes. An input that is not required needs neither an edge nor a value. If a node leaves an output unset, the branch after that output does not run. Effects are changes outside of the run. The runner may repeat a node with `idempotent`, because a repetition changes nothing more. It never repeats a node with `once` by itself. All other nodes have no effects. A node with effects does not run if a value is missing: see [When a node runs](../guides/flow_by_hand.md#when-a-node-runs).',
    ),
    markdownTable([
      ['group', 'nodes'],
      ...filled.map(([name, members]) => [name, members.map(({ data }) => `\`${data.node_id}\``).join(', ')]),
      ['Scripts of a fixed size', '`rhai_script_NxM`'],
    ]),
    ...filled.flatMap(([name, members]) => [`## ${name}`, ...members.flatMap(section)]),
    '## Scripts of a fixed size',
    ...sizesSection(),
  );
}
