import { writeFile } from 'node:fs/promises';
import type { Command, CommandContext } from '../command.ts';
import { indentJson, membersOf } from '../json_text.ts';
import { printableJson, printableLine } from '../printable.ts';
import { readJsonFile } from '../read_json_file.ts';
import { UsageError } from '../usage_error.ts';

/** Stores the flow of a file, and writes the flow's id and the time of its change into the file. */
async function pushFile({ client, signal }: CommandContext, file: string) {
  const { text, json } = await readJsonFile(file);
  // Loaded here, because the module takes as long to load as the rest of the shell.
  const { readEditorFlow } = await import('../../editor_flow.ts');
  if (readEditorFlow(json).isConverted) throw new UsageError(`${file} has another form. Store it with flows deploy.`);
  const { id, updated_at: updatedAt } = json as { id?: unknown; updated_at?: unknown };
  if (id !== undefined && (!Number.isInteger(id) || typeof updatedAt !== 'string')) {
    throw new UsageError(`${file} must have the members id and updated_at as pull writes them, or no id.`);
  }
  const members = membersOf(text);
  const stored = await client.pushFlow({
    members,
    // SAFETY: both were checked above.
    ...(id !== undefined && { id: id as number, updatedAt: updatedAt as string }),
  }, { signal });
  const { id: _id, updated_at: _time, ...others } = members;
  const all = { id: String(stored.id), updated_at: JSON.stringify(stored.updatedAt), ...others };
  const body = Object.entries(all).map(([name, value]) => `${JSON.stringify(name)}:${value}`).join();
  await writeFile(file, indentJson(`{${body}}`));
  return { flow_id: stored.id, file };
}

export const push: Command = {
  name: 'push',
  arguments: '<flow.json>…',
  count: [1, 1_000],
  summary: 'Store flows from the files that pull has written.',
  notes: [
    'The command refuses a flow that somebody has saved since its file was pulled (flow_changed).',
    'A file without an id becomes a new flow. The file then gets the id.',
    'The flow moves to the folder that its file names.',
    'The flow keeps its environment and its network.',
  ],
  options: [],
  example: 'flows push flows/7-order-total.json',
  run: async (context, { positionals: files }) => {
    const { screen, isJson } = context;
    const stored: Awaited<ReturnType<typeof pushFile>>[] = [];
    for (const file of files) {
      const result = await pushFile(context, file);
      stored.push(result);
      if (!isJson) await screen.print(printableLine(`flow ${result.flow_id}  ${file}`));
    }
    if (isJson) await screen.print(printableJson(stored));
  },
};
