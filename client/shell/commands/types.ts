import { readTarget } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson } from '../printable.ts';
import { isTypeName, typeSource } from '../type_source.ts';
import { UsageError } from '../usage_error.ts';

export const types: Command = {
  name: 'types',
  arguments: '<flow|deployment>',
  count: [1, 1],
  summary: "Print TypeScript types of a deployment's inputs and outputs.",
  notes: ['Use them as client.deployment<Types>(…). They are derived from the ports of the flow.'],
  options: [
    { name: 'name', takes: 'name', meaning: 'The name of the type; by default that of the deployment.' },
    { name: 'public-key', takes: 'key', meaning: 'Read as the unauthenticated caller of this public key.' },
  ],
  example: 'flows types 7@stable --name Shop > shop.ts',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''], option }) => {
    const name = option('name');
    if (name !== undefined && !isTypeName(name)) {
      throw new UsageError(
        '--name must be the name of a type: a capital letter, then up to 99 letters, digits, $ and _; not PlainValue or Uint8Array.',
      );
    }
    const deployment = await client.read(readTarget(text), { publicKey: option('public-key'), signal });
    const source = typeSource(deployment, name);
    await screen.print(isJson ? printableJson({ source }) : source.trimEnd());
  },
};
