import { readFlowId, readTag, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

export const tag: Command = {
  name: 'tag',
  arguments: '<deployment> <tag>',
  count: [2, 2],
  summary: 'Give a deployment a tag, or move the tag to it.',
  notes: ['The tag latest always names the newest deployment and cannot be moved by hand.'],
  options: [],
  example: 'flows tag 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e stable',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = '', name = ''] }) => {
    const deployment_id = readUuid(text, 'deployment');
    await client.tag(deployment_id, readTag(name), { signal });
    await screen.print(
      isJson ? printableJson({ deployment_id, tag: name }) : printableLine(`${name} is ${deployment_id}`),
    );
  },
};

export const tool: Command = {
  name: 'tool',
  arguments: '<flow> [<name>]',
  count: [1, 2],
  summary: 'Make a flow a tool that assistants call (MCP).',
  notes: [
    'The name has 1 to 64 letters, digits, underscores and hyphens. The tool starts the deployment with the tag.',
    'The command prints the address for the assistant, which sends an API key of yours as x-api-key.',
  ],
  options: [
    { name: 'tag', takes: 'tag', meaning: 'The tag of the deployment; latest by default.' },
    {
      name: 'description',
      takes: 'text',
      meaning: 'The description for assistants; by default the description or the name of the flow.',
    },
    { name: 'off', meaning: 'The flow is no tool any more.' },
  ],
  example: 'flows tool 7 order_total --tag stable --description "Adds up an order."',
  run: async (
    { client, screen, isJson, signal, environment },
    { positionals: [text = '', name], option, has },
  ) => {
    const flow = readFlowId(text);
    if (has('off') === (name !== undefined)) throw new UsageError('Give either the name of the tool or --off.');
    const tag = option('tag');
    await client.setTool(
      flow,
      name === undefined ? null : {
        name,
        tag: tag === undefined ? undefined : readTag(tag),
        description: option('description'),
      },
      { signal },
    );
    const address = `${environment.url}/functions/v1/mcp`;
    if (isJson) return await screen.print(printableJson({ flow, tool_name: name ?? null, address }));
    await screen.print(printableLine(name === undefined ? `${flow} is no tool` : `${name} is a tool at ${address}`));
  },
};
