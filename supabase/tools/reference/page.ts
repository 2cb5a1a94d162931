import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../local/paths.ts';
import { StackError } from '../../local/stack_error.ts';

const LINE_WIDTH = 120;

/** The folder of the reference pages. */
export const referenceDir = join(projectDir, 'docs/reference');

/** A paragraph, or an item of a list, broken into lines as the formatter breaks them. */
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

/** A list of items. */
export const list = (items: string[]): string => items.map((item) => paragraph(`- ${item}`)).join('\n');

/** A generated page: its title, a note that says what it is made from, and its blocks. */
export const page = (title: string, sources: string, ...blocks: string[]): string =>
  `${[`# ${title}`, `<!-- npm run docs writes this page from ${sources}. Edit those. -->`, ...blocks].join('\n\n')}\n`;

/** `16777216` → `16 MiB`; other numbers in bytes. */
export function byteCount(bytes: number): string {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${count(bytes)} bytes`;
}

/** `100000` → `100,000`. */
export const count = (number: number): string => number.toLocaleString('en-US');

/** The texts of all sources below a folder. */
export const sourcesOf = (folder: string, suffix: string): string[] =>
  readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix))
    .map((name) => readFileSync(join(projectDir, folder, name), 'utf8'));

/**
 * A number that stands in the sources and can't be imported: what the one group of a pattern with the flag g finds, in SQL unless told otherwise. Fails
 * when nothing is found, or different numbers are, so that a limit that is moved or changed can't leave a stale page behind.
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
