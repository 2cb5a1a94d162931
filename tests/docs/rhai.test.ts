import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_NAME_LENGTH } from '../../runner/rhai/parsing/lexer.ts';
import { standardLibrary } from '../../runner/rhai/library/table.ts';
import { DEFAULT_LIMITS } from '../../runner/rhai/limits.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { generatedDocs } from '../../dev/docs/docs.ts';
import { findGaps, rhaiFunctionsFile } from '../../dev/docs/rhai_docs.ts';
import { rhaiFunctions } from '../../runner/rhai/library/descriptions.ts';

const document = readFileSync(join(projectDir, 'docs/reference/rhai.md'), 'utf8');
const functions = readFileSync(rhaiFunctionsFile, 'utf8');

describe('docs/reference/rhai_functions.md', () => {
  it('equals the output of npm run docs', () => {
    expect(generatedDocs().find(({ file }) => file === rhaiFunctionsFile)?.text).toBe(functions);
  });

  it('lists every function under its type, and no other', () => {
    const sections = functions.split('\n## ').slice(1);
    const listed = sections.map((section) => [...section.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name).sort());
    expect(listed).toEqual(
      Object.keys(rhaiFunctions).map((type) =>
        [...[...standardLibrary].find(([tag]) => tag === type)![1].keys()].sort()
      ),
    );
  });

  it('can only be written if all functions are described with their parameters', () => {
    const natives = [...standardLibrary].find(([tag]) => tag === 'range')![1];
    const { functions: described } = rhaiFunctions['range']!;
    expect(findGaps('range', described, natives)).toEqual([]);
    const { start, ...others } = described;
    expect(findGaps('range', { ...others, contains: ['int, [other]', 'bool', ''], begin: start! }, natives)).toEqual([
      'range.start is not described in runner/rhai/library/descriptions.ts.',
      'range.begin is described in runner/rhai/library/descriptions.ts, but there is no such function: remove it there.',
      'range.contains is described with 1 to 2 arguments, but takes 1 to 1.',
    ]);
  });
});

describe('docs/reference/rhai.md', () => {
  it('lists the limits that apply', () => {
    const told = [...document.split('## Limits')[1]!.split('\n\n')[1]!.matchAll(/\| ([\d,]+) +\|$/gm)]
      .map(([, text]) => Number(text!.replaceAll(',', '')));
    const { operations, stringLength, elements, variables, callDepth, sourceDepth, dataDepth, sourceLength } =
      DEFAULT_LIMITS;
    expect(told).toEqual([
      operations,
      stringLength,
      elements,
      variables,
      callDepth,
      sourceDepth,
      dataDepth,
      sourceLength,
      MAX_NAME_LENGTH,
      255,
    ]);
  });
});
