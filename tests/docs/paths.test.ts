import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { generatedDocs } from '../../dev/docs/docs.ts';
import { generatedSql } from '../../dev/database/generated_sql.ts';
import { importMapFile } from '../../dev/checks/import_map.ts';
import { databaseTypesFile } from '../../dev/database/schema.ts';
import { describedVariables, transactionSettingNames } from '../../dev/docs/reference/environment_page.ts';
import { sourcesOf } from '../../dev/docs/reference/page.ts';
import { runErrors } from '../../types/run_errors.ts';
import { errorCodes } from '../../types/errors.ts';

/** All documents of the project, by path. */
const documents = new Map(
  [
    ...readdirSync(projectDir).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(projectDir, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md')
    ).map((name) => join('docs', name)),
  ].map((path) => [path, readFileSync(join(projectDir, path), 'utf8')]),
);

const sql = sourcesOf('sql', '.sql').join('\n');
const functions = ['functions', 'runner', 'platform'].flatMap((folder) => sourcesOf(folder, '.ts')).join('\n');

/**
 * Lists the names that match `find` in any document, but for which `exists` returns false. Each entry says which
 * document has the name.
 */
const findUnknown = (find: RegExp, exists: (name: string, document: string) => boolean): string[] =>
  [...documents].flatMap(([path, text]) =>
    [...text.matchAll(find)].map(([, name]) => name!).filter((name) => !exists(name, path)).map((name) =>
      `${path} names ${name}`
    )
  );

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!.toLowerCase().replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-')
  );

describe('everything that documents name exists:', () => {
  it('there are documents', () => {
    expect([...documents.keys()]).toEqual(
      expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/reference/errors.md']),
    );
  });

  it('every file and folder of the project', () => {
    const path = /`((?:sql|supabase|functions|runner|types|tests|docs|client|console|dev|\.ci|\.github)\/[\w./-]*)`/g;
    expect(findUnknown(path, (name) => existsSync(join(projectDir, name)))).toEqual([]);
  });

  it('every target of a link, with its heading', () => {
    expect(
      findUnknown(/\]\(((?!https?:)[^)\s]+)\)/g, (target, document) => {
        const [file, anchor] = target.split('#');
        const path = file === '' ? document : join(dirname(document), file!);
        if (!existsSync(join(projectDir, path))) return false;
        return anchor === undefined || anchorsOf(documents.get(path) ?? '').includes(anchor);
      }),
    ).toEqual([]);
  });

  it('every function, table and view of the database', () => {
    const exists = (name: string) =>
      new RegExp(`(function|table|view|sequence|type) ${name.replace('.', '\\.')}\\b`).test(sql);
    expect(findUnknown(/`((?:private|public)\.[a-z_]+)(?:\([^`]*\))?`/g, exists)).toEqual([]);
  });

  it('every Edge Function that callers reach, in the list of functions', () => {
    const [, listed] = /^\| `NOT_FOUND`.*\|(.+)\|$/m.exec(documents.get('docs/guides/troubleshooting.md')!)!;
    const names = readdirSync(join(projectDir, 'functions'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['_shared', 'runner'].includes(entry.name)).map(({ name }) => name);
    expect([...listed!.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(names.toSorted());
  });

  it('every error code behind a status', () => {
    const exists = (name: string) => Object.hasOwn(errorCodes, name);
    expect(findUnknown(/\b[45]\d\d `([a-z_]+)`/g, exists)).toEqual([]);
  });

  it('every variable of the environment', () => {
    const known = [...describedVariables(), ...transactionSettingNames(), 'RUST_LOG'];
    const exists = (name: string) => known.includes(name);
    expect(
      findUnknown(
        /`((?:RUNNER|FLOW_RUN|HTTP|SIGNATURE|ACTION|WALLET|HELIUS|POSTGRES|POSTGREST|DENO|FUZZ)_[A-Z_]+)(?:=[^`]*)?`/g,
        exists,
      ),
    ).toEqual([]);
  });

  it('every npm script', () => {
    const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(findUnknown(/npm run (?:--silent )?([a-z][\w:]*)/g, (name) => Object.hasOwn(scripts, name))).toEqual([]);
  });
});

/** More pages than this are not read. Pages of one subject are merged, and those that describe the code are deleted. */
const MAX_DECISIONS = 60;

describe('docs/decisions', () => {
  const pages = [...documents].filter(([path]) => /^docs\/decisions\/\d/.test(path)).toSorted();
  const titleOf = (text: string) => text.split('\n', 1)[0];

  it('has a number of its own for each page, which its name and title begin with', () => {
    const numbers = pages.map(([path]) => /\/(\d{3})-[a-z0-9-]+\.md$/.exec(path)?.[1]);
    expect(numbers.length).toBeGreaterThan(40);
    expect(numbers.length).toBeLessThanOrEqual(MAX_DECISIONS);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(pages.filter(([, text], index) => !titleOf(text)!.startsWith(`# ${numbers[index]}: `))).toEqual([]);
  });

  it('lists each page in its index once, with its question', () => {
    const listed = [...documents.get('docs/decisions/README.md')!.matchAll(/^\| (\d{3}) +\| \[(.+)\]\((.+)\) *\|$/gm)]
      .map(([, number, question, file]) => [`docs/decisions/${file}`, `# ${number}: ${question}`]);
    expect(listed.toSorted()).toEqual(pages.map(([path, text]) => [path, titleOf(text)]));
  });

  it('asks a question, answers it in at most 300 words, and names options, decision and consequences', () => {
    const isComplete = (text: string) =>
      /^# \d{3}: [^\n]+\?\n\n[^#][^]*\n## Options\n[^]+\n## Decision\n[^]+\n## Consequences\n[^]+$/.test(text) &&
      text.split(/\s+/).length <= 300;
    expect(pages.filter(([, text]) => !isComplete(text)).map(([path]) => path)).toEqual([]);
  });
});

it('each guide that needs a running stack explains how to choose its port', () => {
  const guides = [...documents].filter(([name, text]) => name.startsWith('docs/guides/') && /`npm start/.test(text));
  const silent = guides.filter(([, text]) => !/--port/.test(text)).map(([name]) => name);
  expect(guides.length).toBeGreaterThan(10);
  expect(silent).toEqual(['docs/guides/hosted.md']);
});

it('CI tests every version of Node that package.json names', () => {
  const { engines } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const workflow = readFileSync(join(projectDir, '.github/workflows/ci.yml'), 'utf8');
  expect(/node: \[(.*)\]/.exec(workflow)?.[1]?.split(', ')).toEqual(engines.node.split(' || '));
});

it('CHANGELOG.md has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
  expect(documents.get('CHANGELOG.md')).toContain(`\n## ${version} - `);
});

it('.gitattributes marks each generated file, and no other', () => {
  const marked = readFileSync(join(projectDir, '.gitattributes'), 'utf8').split('\n')
    .flatMap((line) => /^(\S+) linguist-generated$/.exec(line)?.[1] ?? []);
  const migrations = readdirSync(join(projectDir, 'supabase/migrations')).map((name) => `supabase/migrations/${name}`)
    .filter((path) => readFileSync(join(projectDir, path), 'utf8').startsWith('-- Written by npm run'));
  const generated = [...generatedDocs().map(({ file }) => file), importMapFile, databaseTypesFile];
  const sqlFiles = generatedSql().map(({ file }) => file);
  expect(marked.toSorted()).toEqual(
    [...generated.map((file) => relative(projectDir, file)), ...sqlFiles, ...migrations].toSorted(),
  );
});

describe('docs/reference', () => {
  it('describes every variable that functions and worker read', () => {
    const sources = functions;
    const read = [...sources.matchAll(/\benv\('([A-Z_]+)'\)/g)].map(([, name]) => name!);
    expect(read.length).toBeGreaterThan(5);
    expect(read.filter((name) => !describedVariables().includes(name))).toEqual([]);
  });

  it('describes every variable that the shell reads', () => {
    const shell = sourcesOf('client/shell', '.ts').join('\n');
    const read = new Set([...shell.matchAll(/\bFLOWS_[A-Z_]+\b/g)].map(([name]) => name));
    const page = documents.get('docs/reference/shell.md');
    expect(read).toContain('FLOWS_PASSWORD');
    expect([...read].filter((name) => !page?.includes(`\n| \`${name}\``))).toEqual([]);
  });

  it('describes every error code of runs and nodes, and every other limit that the functions name', () => {
    const limits = [...functions.matchAll(/[`']([a-z_]+_(?:limit|large)): /g)].map(([, word]) => word!);
    expect(limits).toContain('log_lines_limit');
    const words = [...Object.keys(runErrors), ...limits];
    const pages = documents.get('docs/reference/errors.md')! + documents.get('docs/reference/environment.md')!;
    expect(words.filter((word) => !pages.includes(`\`${word}\``))).toEqual([]);
  });
});
