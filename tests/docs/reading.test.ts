import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

// What keeps the documents that people read first short enough to be read.

const MAX_COLUMNS = 160;
const MAX_LINES_OF_CONCEPTS = 150;

const read = (path: string): string => readFileSync(join(projectDir, path), 'utf8');

/** Returns the lines that are longer than MAX_COLUMNS, each with its number. */
const longLines = (text: string): string[] =>
  text.split('\n').flatMap((line, index) => [...line].length > MAX_COLUMNS ? [`${index + 1}: ${line}`] : []);

describe('the documents that are read first', () => {
  it.each(['README.md', 'docs/concepts.md'])('%s has no line of more than 160 characters', (path) => {
    expect(longLines(read(path))).toEqual([]);
  });

  it('a table with a long cell has such a line', () => {
    const row = `| a word | ${'a long meaning '.repeat(11)} |`;
    expect(longLines(`# Words\n${'-'.repeat(MAX_COLUMNS)}\n${row}\n`)).toEqual([`3: ${row}`]);
  });

  it('docs/concepts.md fits into 150 lines', () => {
    expect(read('docs/concepts.md').split('\n').length).toBeLessThanOrEqual(MAX_LINES_OF_CONCEPTS);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('%s names docs/concepts.md before all other documents', (path) => {
    expect(/\]\((docs\/(?!images\/)[^)#]+)/.exec(read(path))?.[1]).toBe('docs/concepts.md');
  });
});
