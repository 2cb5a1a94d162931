import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../stack/paths.ts';

const LINE_WIDTH = 120;

/** The folder of the reference pages. */
export const referenceDir = join(projectDir, 'docs/reference');

/** Breaks a paragraph, or an item of a list, into lines as the formatter does. */
export function paragraph(text: string): string {
  const isItem = text.startsWith('- ');
  const lines: string[] = [];
  let line = '';
  // Code between backticks is one word, and so is a link.
  for (const [word] of text.matchAll(/(?:`[^`]*`|\[[^[\]]*\]\([^()]*\)|[^\s`])+/g)) {
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

/** Reads the texts of all sources below a folder. */
export const sourcesOf = (folder: string, suffix: string): string[] =>
  readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix))
    .map((name) => readFileSync(join(projectDir, folder, name), 'utf8'));
