import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { readJsonFile } from '../read_json_file.ts';

export const describeApi: Command = {
  name: 'describe-api',
  isLocal: true,
  arguments: '<file>',
  count: [1, 1],
  summary: 'Make node definitions from an OpenAPI document.',
  notes: [
    'The file is OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0 in JSON. The command stores nothing: --json prints the ' +
    'definitions, to post to /rest/v1/nodes, and the operations that can not be nodes, with the reasons.',
  ],
  options: [
    {
      name: 'only',
      takes: 'operation',
      isRepeatable: true,
      meaning: 'Only this operation: its operationId, or method and path.',
    },
    { name: 'prefix', takes: 'text', meaning: 'Written before the node_id of each definition.' },
  ],
  example: 'flows describe-api pets.json --only "GET /pets/{id}" --json',
  run: async ({ screen, isJson }, { positionals: [file = ''], option, all }) => {
    const { json } = await readJsonFile(file);
    const only = all('only');
    const { describeOpenApi } = await import('../../describing/open_api.ts');
    const described = describeOpenApi(json, { prefix: option('prefix'), only: only.length > 0 ? only : undefined });
    if (isJson) return await screen.print(printableJson(described));
    for (const { type, data, targets, sources } of described.definitions) {
      const ports = `${targets.length} inputs, ${sources.length} outputs`;
      await screen.print(printableLine(`${data.node_id}  ${type}  effects ${data.effects}  ${ports}`));
    }
    for (const { place, reason } of described.refused) screen.note(printableLine(`refused: ${place}: ${reason}`));
  },
};
