import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../stack/paths.ts';
import { StackError } from '../../stack/stack_error.ts';

const LINE_WIDTH = 120;

/** The folder of the reference pages. */
export const referenceDir = join(projectDir, 'docs/reference');

/** Breaks a paragraph, or an item of a list, into lines as the formatter does. */
export function paragraph(text: string): string {
  const isItem = text.startsWith('- ');
  const lines: string[] = [];
  let line = '';
  // Code between backticks is one word.
  for (const [word] of text.matchAll(/(?:`[^`]*`|[^\s`])+/g)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > LINE_WIDTH && line !== '') {
      lines.push(line);
      line = isItem ? `  ${word}` : word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].join('\n');
}

/** Makes a list of items. */
export const list = (items: string[]): string => items.map((item) => paragraph(`- ${item}`)).join('\n');

/** Makes a generated page: its title, a note that names its sources, and its blocks. */
export const page = (title: string, sources: string, ...blocks: string[]): string =>
  `${[`# ${title}`, `<!-- npm run docs writes this page from ${sources}. Edit those. -->`, ...blocks].join('\n\n')}\n`;

/** Formats a size: `16777216` → `16 MiB`; other numbers in bytes. */
export function byteCount(bytes: number): string {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${count(bytes)} bytes`;
}

/** Formats a number: `100000` → `100,000`. */
export const count = (number: number): string => number.toLocaleString('en-US');

/** Reads the texts of all sources below a folder. */
export const sourcesOf = (folder: string, suffix: string): string[] =>
  readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix))
    .map((name) => readFileSync(join(projectDir, folder, name), 'utf8'));

/**
 * Finds a number in the sources that can't be imported: the one group of a pattern with the flag g, in SQL by default.
 * Throws if there is no match, or if the matches differ, so that a moved or changed limit can't leave a stale page.
 */
export function findNumber(pattern: RegExp, { folder, suffix } = { folder: 'sql', suffix: '.sql' }): number {
  const found = new Set(
    sourcesOf(folder, suffix).flatMap((text) =>
      [...text.matchAll(pattern)].map(([, digits]) => Number(digits!.replaceAll(/[_,]/g, '')))
    ),
  );
  const [number] = found;
  if (found.size !== 1 || number === undefined || Number.isNaN(number)) {
    throw new StackError(`${folder}/ has ${found.size} numbers for ${pattern}, of which the reference needs one.`);
  }
  return number;
}
