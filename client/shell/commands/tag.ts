import { readTag, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';

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
