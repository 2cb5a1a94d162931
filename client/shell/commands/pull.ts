import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFlowId } from '../arguments.ts';
import type { Command } from '../command.ts';
import { indentJson, membersOf } from '../json_text.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

/** Makes the name of a flow's file: its id and the words of its name, such as `7-order-total.json`. */
function fileNameOf(id: number, name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '').slice(0, 60);
  return `${id}${words === '' ? '' : `-${words}`}.json`;
}

/** True if the file differs from the flow, although it has the time of the flow's last change. */
async function isEdited(file: string, pulled: string): Promise<boolean> {
  const text = await readFile(file, 'utf8');
  try {
    return membersOf(text).updated_at === membersOf(pulled).updated_at && indentJson(text) !== pulled;
  } catch {
    return true;
  }
}

export const pull: Command = {
  name: 'pull',
  arguments: '<folder> [<flow>…]',
  count: [1, 1_000],
  summary: 'Write flows into a folder as JSON files, for git.',
  notes: [
    'Without the ids of flows, the command writes all of your flows.',
    'A file that begins with the id of its flow keeps its name if the flow is renamed.',
    'A file with changes that were not pushed stays as it is, unless somebody has saved its flow since it was pulled.',
    'A file names the folder of its flow, as the console shows it.',
    'A file has no environment and no network, because they may hold secrets.',
  ],
  options: [{ name: 'force', meaning: 'Replace also files with changes that were not pushed.' }],
  example: 'flows pull flows 7',
  run: async ({ client, screen, isJson, signal }, { positionals: [folder = '', ...ids], has }) => {
    const wanted = ids.length > 0 ? ids.map(readFlowId) : (await client.flows({ signal })).map(({ id }) => id);
    await mkdir(folder, { recursive: true }).catch((error: Error) => {
      throw new UsageError(`${folder} can't be made: ${error.message}`);
    });
    const files = await readdir(folder);
    const kept: string[] = [];
    const written: { flow_id: number; file: string }[] = [];
    for (const id of wanted) {
      const { name, text } = await client.pullFlow(id, { signal });
      const known = files.find((file) => /^\d+/.exec(file)?.[0] === String(id) && file.endsWith('.json'));
      const file = join(folder, known ?? fileNameOf(id, name));
      const pulled = indentJson(text);
      if (known !== undefined && !has('force') && await isEdited(file, pulled)) {
        kept.push(file);
        continue;
      }
      await writeFile(file, pulled);
      written.push({ flow_id: id, file });
      if (!isJson) await screen.print(printableLine(file));
    }
    if (isJson) await screen.print(printableJson(written));
    if (kept.length > 0) {
      throw new UsageError(
        `Files with changes that were not pushed stay as they are: ${kept.join(', ')}. Push them, or use --force.`,
      );
    }
  },
};
