import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

// What keeps the documents that people read first short enough to be read, and true.

const MAX_COLUMNS = 160;
const MAX_LINES_OF_CONCEPTS = 150;
const MAX_PLACES = 20;

const read = (path: string): string => readFileSync(join(projectDir, path), 'utf8');

/** Returns the lines that are longer than MAX_COLUMNS, each with its number. */
const longLines = (text: string): string[] =>
  text.split('\n').flatMap((line, index) => [...line].length > MAX_COLUMNS ? [`${index + 1}: ${line}`] : []);

describe('the documents that are read first', () => {
  it.each(['README.md', 'docs/concepts.md', 'docs/architecture.md', 'docs/performance.md'])(
    '%s has no line of more than 160 characters',
    (path) => {
      expect(longLines(read(path))).toEqual([]);
    },
  );

  it('a table with a long cell has such a line', () => {
    const row = `| a word | ${'a long meaning '.repeat(11)} |`;
    expect(longLines(`# Words\n${'-'.repeat(MAX_COLUMNS)}\n${row}\n`)).toEqual([`3: ${row}`]);
  });

  it('docs/concepts.md fits into 150 lines', () => {
    expect(read('docs/concepts.md').split('\n').length).toBeLessThanOrEqual(MAX_LINES_OF_CONCEPTS);
  });

  it.each([['docs/architecture.md', 5000], ['docs/performance.md', 4700]])('%s has at most %i words', (path, words) => {
    expect(read(path).trim().split(/\s+/).length).toBeLessThanOrEqual(words);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('%s names docs/concepts.md before all other documents', (path) => {
    expect(/\]\((docs\/(?!images\/)[^)#]+)/.exec(read(path))?.[1]).toBe('docs/concepts.md');
  });
});

/** Tests whether a source, in SQL or TypeScript, declares a symbol: a function, table, constant, type or member. */
const declares = (source: string, symbol: string): boolean =>
  [
    String.raw`^create (?:or replace )?(?:function|table|view|type) (?:private\.|public\.)?${symbol}\b`,
    String.raw`^(?:export )?(?:async )?(?:function|const|class|interface|type) ${symbol}\b`,
    String.raw`^  (?:readonly |async )?${symbol}\??[:(]`,
  ].some((pattern) => new RegExp(pattern, 'm').test(source));

describe('Where to look first', () => {
  const section = /^## Where to look first\n([^]*?)(?=^## |$(?![^]))/m.exec(read('docs/architecture.md'))![1]!;
  const rows = section.replaceAll(/\n {2}/g, ' ').split('\n').filter((line) => line.startsWith('- '));
  const places = rows.map((row): [question: string, symbol: string, path: string] => {
    const [, question = row, symbol = '', path = ''] = /^- (.+?): `(\w+)` in `([\w./-]+)`/.exec(row) ?? [];
    return [question, symbol, path];
  });

  it('has at most 20 rows, so that people read it', () => {
    expect(places.length).toBeGreaterThan(10);
    expect(places.length).toBeLessThanOrEqual(MAX_PLACES);
  });

  it.each(places)('%s: `%s` is declared in %s', (_, symbol, path) => {
    expect(declares(read(path), symbol)).toBe(true);
  });

  it('a symbol that a file only calls is not declared there', () => {
    const source = 'import { startRun } from "./start.ts";\n// startRun begins.\nconst run = startRun(flow);\n';
    expect(declares(source, 'startRun')).toBe(false);
    expect(declares('export async function startRun(flow: Flow) {}', 'startRun')).toBe(true);
    expect(declares('create function private.start_run(flow integer)\n', 'start_run')).toBe(true);
    expect(declares('create function private.start_runs(flow integer)\n', 'start_run')).toBe(false);
  });
});
