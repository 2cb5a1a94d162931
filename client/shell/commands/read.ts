import type { DeploymentDescription, DeploymentInput } from '../../flow_client.ts';
import { readTarget } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableBlock, printableJson, printableLine } from '../printable.ts';

/** Describes an input in a line, and in a second line with what its author says about it. */
function describeInput({ name, type_bounds, required, default: fallback, json_schema }: DeploymentInput): string[] {
  const { title, description, enum: choices, format } = json_schema;
  const types = Array.isArray(choices) ? choices.map(printableJson) : type_bounds;
  const form = typeof format === 'string' ? ` (${format})` : '';
  const or = fallback === null || fallback === undefined ? '' : `, else ${printableJson(fallback)}`;
  const said = [title, description].filter((text) => typeof text === 'string' && text !== '').join(': ');
  return [
    `input       ${name}: ${types.join(' | ')}${form}${required ? ', required' : or}`,
    // The title of an input that its author did not describe is that of a port.
    ...(description === undefined || said === '' ? [] : [printableBlock(`            ${said}`, ' '.repeat(12))]),
  ];
}

/** Describes a deployment in lines. */
function describe(deployment: DeploymentDescription): string[] {
  const { deployment_id, flow_id, name, description, start_permission, cluster, inputs, outputs } = deployment;
  return [
    `deployment  ${deployment_id}`,
    `flow        ${flow_id}`,
    `name        ${name}`,
    ...(description ? [`about       ${printableBlock(description, ' '.repeat(12))}`] : []),
    `start       ${start_permission}`,
    `cluster     ${cluster}`,
    ...inputs.flatMap(describeInput),
    ...outputs.map(({ name, type }) => `output      ${name}: ${type}`),
  ];
}

export const read: Command = {
  name: 'read',
  arguments: '<flow|deployment>',
  count: [1, 1],
  summary: 'Show the inputs and outputs of a deployment.',
  notes: ['Everybody who may start the deployment can read it. It is shown as it was frozen.'],
  options: [{ name: 'public-key', takes: 'key', meaning: 'Read as the unauthenticated caller of this public key.' }],
  example: 'flows read 7@stable',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''], option }) => {
    const deployment = await client.read(readTarget(text), { publicKey: option('public-key'), signal });
    if (isJson) return await screen.print(printableJson(deployment));
    for (const line of describe(deployment)) await screen.print(line.split('\n').map(printableLine).join('\n'));
  },
};
