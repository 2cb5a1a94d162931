import type { DeploymentDescription } from '../../flow_client.ts';
import { readTarget } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableBlock, printableJson, printableLine } from '../printable.ts';

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
    ...inputs.map(({ name, type_bounds, required, default: fallback }) => {
      const or = fallback === null || fallback === undefined ? '' : `, else ${printableJson(fallback)}`;
      return `input       ${name}: ${type_bounds.join(' | ')}${required ? ', required' : or}`;
    }),
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
