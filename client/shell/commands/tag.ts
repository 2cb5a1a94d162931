import { FlowError } from '../../flow_error.ts';
import { readFlowId, readTag, readUuid } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
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

/** Tests whether a flow has a deployment with a tag. */
async function hasDeployment({ client, signal }: CommandContext, flow: number, tag: string): Promise<boolean> {
  try {
    await client.read({ flow, tag }, { signal });
    return true;
  } catch (error) {
    if (error instanceof FlowError && error.code === 'deployment_not_found') return false;
    throw error;
  }
}

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
  run: async (context, { positionals: [text = '', name], option, has }) => {
    const { client, screen, isJson, signal, environment } = context;
    const flow = readFlowId(text);
    if (has('off') === (name !== undefined)) throw new UsageError('Give either the name of the tool or --off.');
    const tag = option('tag');
    const made = name === undefined
      ? null
      : { name, tag: tag === undefined ? 'latest' : readTag(tag), description: option('description') };
    await client.setTool(flow, made, { signal });
    if (made !== null && !await hasDeployment(context, flow, made.tag)) {
      screen.note(
        `warning: flow ${flow} has no deployment with the tag ${made.tag}, so assistants don't see the tool yet`,
      );
    }
    const address = `${environment.url}/functions/v1/mcp`;
    if (isJson) return await screen.print(printableJson({ flow, tool_name: name ?? null, address }));
    await screen.print(printableLine(name === undefined ? `${flow} is no tool` : `${name} is a tool at ${address}`));
  },
};
