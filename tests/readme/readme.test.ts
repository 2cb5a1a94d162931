import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PORT } from '../../platform/local_stack/running_stacks.ts';
import { deleteData } from '../../dev/stack/postgres/cluster.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { cloneDatabase } from '../support/database.ts';
import { npmScript } from '../support/npm_script.ts';
import { waitFor } from '../support/wait.ts';
import { makeQuickNpm } from './quick_npm.ts';
import { type Block, isOutput, pages, readBlocks } from './pages.ts';

const HOSTED = 'tests/hosted/recipe.test.ts runs it against a stand-in of the hosted platform.';
const STAYS_UP = 'It stays up: the stack of this test is booted by it, and tests/stack/ tries its options.';

/** The blocks that the tests do not run: the page of each block, the beginning of its text, and the reason. */
const notRun: [page: string, begins: string, reason: string][] = [
  [
    'README.md',
    'npm install',
    'The packages are installed, demo.test.ts runs the demo, and the stack of this test is booted by npm start.',
  ],
  ['README.md', 'npm start', STAYS_UP],
  ['README.md', 'npx supabase link', HOSTED],
  [
    'docs/guides/hosted.md',
    'npx supabase login',
    HOSTED,
  ],
  [
    'docs/guides/hosted.md',
    'npx supabase db push',
    HOSTED,
  ],
  [
    'docs/guides/hosted.md',
    'npx supabase secrets set',
    HOSTED,
  ],
  [
    'docs/guides/hosted.md',
    'npx supabase functions deploy',
    HOSTED,
  ],
  ['docs/guides/hosted.md', 'npx flows install', 'tests/client/installed_project.test.ts installs into a project.'],
  ['docs/guides/hosted.md', 'npm run nodes:publish', 'tests/tools/publish_nodes.test.ts publishes to a project.'],
  [
    'docs/guides/hosted.md',
    'cp supabase/functions/.env.example',
    'It needs Docker. tests/hosted/recipe.test.ts looks at the file and at the command.',
  ],
  [
    'docs/guides/local_stack.md',
    'npm start',
    STAYS_UP,
  ],
  [
    'docs/guides/native_node.md',
    'npm run docs',
    'The check takes minutes, and looks at the project itself; tests/tools/new_node.test.ts runs its parts on new nodes.',
  ],
  [
    'docs/guides/native_node.md',
    'npm run nodes:publish -- --url',
    'tests/tools/publish_nodes.test.ts publishes to a project.',
  ],
  ['docs/guides/paid_action.md', 'npm start', STAYS_UP],
  [
    'docs/guides/workers_and_schedule.md',
    'npm run worker',
    'It stays up; tests/durability/worker_command.test.ts runs it.',
  ],
  [
    'docs/guides/workers_and_schedule.md',
    'npm ci --omit=dev',
    'It installs from the registry and stays up; tests/durability/worker_command.test.ts runs the command.',
  ],
  [
    'docs/guides/workers_and_schedule.md',
    'SUPABASE_DB_URL=',
    'It stays up; tests/durability/worker_command.test.ts runs it.',
  ],
];

const blocks = pages.flatMap(readBlocks);
const reasonOf = ({ page, text }: Block): string | undefined =>
  notRun.find(([of, begins]) => of === page && text.startsWith(begins))?.[2];

/** A copy of the project for the simulated readers, who write files in it and make a node. */
let copy: string;
/** The folder of programs that comes first in the readers' PATH. It is beside the copy. */
let programs: string;
let stack: ChildProcess;
let stackOutput = '';

interface Ended {
  code: number | null;
  output: string;
}

/** The environment of a reader's shell. The variables of this test run are removed. */
const readersEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|npm_)/.test(name)));

/** Runs a program in the copy. */
async function run(command: string, ...args: string[]): Promise<Ended> {
  const PATH = [programs, process.env['PATH']].join(delimiter);
  const child = spawn(command, args, { cwd: copy, env: { ...readersEnvironment(), NO_COLOR: '1', PATH } });
  let output = '';
  child.stdout.on('data', (chunk) => output += chunk);
  child.stderr.on('data', (chunk) => output += chunk);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'flow-pages-'));
  // If root runs the tests, Postgres runs as another user, who must be able to read the copy.
  chmodSync(copy, 0o755);
  for (const name of readdirSync(projectDir)) {
    if (!['.git', '.stack', 'node_modules'].includes(name)) {
      cpSync(join(projectDir, name), join(copy, name), { recursive: true });
    }
  }
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  programs = mkdtempSync(join(tmpdir(), 'flow-npm-'));
  makeQuickNpm(programs);
  const port = await findFreePort();
  // The pages use the default port. Another stack on this machine may use the default port, so this stack uses a free
  // port.
  mkdirSync(join(copy, '.stack'));
  // The copy has the same console sources as the project, so the copy and the project share one build.
  mkdirSync(join(projectDir, '.stack/console'), { recursive: true });
  symlinkSync(join(projectDir, '.stack/console'), join(copy, '.stack/console'));
  if (port !== DEFAULT_PORT) symlinkSync(String(port), join(copy, '.stack', String(DEFAULT_PORT)));
  stack = spawn(process.execPath, npmScript('start', '--chain', '--port', String(port)), {
    cwd: copy,
    env: readersEnvironment(),
  });
  for (const stream of [stack.stdout!, stack.stderr!]) stream.on('data', (chunk) => stackOutput += chunk);
  await waitFor(() => {
    if (stack.exitCode !== null) throw new Error(`npm start ended:\n${stackOutput}`);
    return stackOutput.includes('\nReady after ') || undefined;
  });
});

afterAll(async () => {
  const ended = stack?.exitCode === null && new Promise((resolve) => stack.once('close', resolve));
  stack?.kill('SIGTERM');
  await ended;
  for (const port of readdirSync(join(copy, '.stack')).filter((name) => name !== 'console')) {
    await deleteData(join(copy, '.stack', port, 'postgres'));
  }
  for (const dir of [copy, programs]) await rm(dir, { recursive: true, force: true });
});

/**
 * Makes the script that acts like a reader of a page: it types each shell block, and saves each block that belongs to a
 * file.
 */
function pageScript(dir: string, read: Block[]): string {
  const steps = read.map((block, index) => {
    if (reasonOf(block) !== undefined) return '';
    const file = join(dir, `${index}`);
    if (block.file !== undefined) {
      writeFileSync(file, block.text);
      return `cat ${file} ${block.beginsFile ? '>' : '>>'} ${block.file}`;
    }
    return block.language === 'sh' ? `exec >${file}.out 2>${file}.err\n${block.text}` : '';
  });
  return ['set -euo pipefail', ...steps].join('\n');
}

/** Returns the output of a shell block; undefined if the script stopped before it. */
function printed(dir: string, index: number, stream: 'out' | 'err'): string | undefined {
  try {
    return readFileSync(join(dir, `${index}.${stream}`), 'utf8');
  } catch {
    return undefined;
  }
}

describe.each(pages)('%s', (page) => {
  const read = readBlocks(page);

  it.runIf(read.some((block) => block.language === 'sh' && reasonOf(block) === undefined))(
    'works unchanged, block by block',
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'flow-page-'));
      try {
        const script = join(dir, 'script');
        writeFileSync(script, pageScript(dir, read));
        const { code } = await run('bash', '--norc', script);
        const shells = read.flatMap((block, index) =>
          printed(dir, index, 'out') === undefined ? [] : [{ block, index }]
        );
        const last = shells.at(-1);
        const at = `${page}:${last?.block.line}\n${last?.block.text}`;
        expect(code, `${at}\n${last && printed(dir, last.index, 'out')}\n${last && printed(dir, last.index, 'err')}`)
          .toBe(0);
        for (const { block, index } of shells) {
          const shown = read[index + 1];
          if (shown?.language !== 'output') continue;
          const output = printed(dir, index, 'out')!;
          const both = output + printed(dir, index, 'err');
          if (isOutput(shown.text, output) || isOutput(shown.text, both)) continue;
          expect(both, `${page}:${block.line}\n${block.text}`).toBe(shown.text);
        }
      } finally {
        await rm(dir, { recursive: true });
      }
    },
  );

  it.runIf(read.some(({ language }) => language === 'sql'))('has SQL statements that work unchanged', async () => {
    const database = await cloneDatabase();
    try {
      const sql = database.connect();
      await sql`select test.create_pg_cron(), test.create_pg_net(), test.create_vault()`;
      const answers: { is_ok: boolean }[][] = [];
      for (const block of read.filter(({ language }) => language === 'sql')) {
        const results = await sql.unsafe(block.text) as unknown as { is_ok: boolean }[][];
        // Take the rows of the last statement.
        answers.push(Array.isArray(results[0]) ? results.at(-1)! : results as unknown as { is_ok: boolean }[]);
      }
      const checks = answers.filter((rows) => rows.some((row) => 'is_ok' in row));
      expect(checks).not.toEqual([]);
      expect(checks[0]!.filter(({ is_ok }) => !is_ok)).toEqual([]);
      // The statements after the schedule only read it.
      for (const check of checks) expect(check).toEqual(checks[0]);
    } finally {
      await database.close();
    }
  });
});

it('the programs of the pages pass the type check', async () => {
  const files = [...new Set(blocks.flatMap(({ language, file }) => language === 'ts' ? [file!] : []))];
  expect(files).not.toEqual([]);
  const config = join(copy, 'pages.tsconfig.json');
  writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', include: [], files }));
  expect(await run(join(copy, 'node_modules/.bin/tsc'), '-p', config)).toEqual({ code: 0, output: '' });
});

describe('the code blocks of the pages', () => {
  it('all have a known language', () => {
    const known = ['sh', 'ts', 'js', 'sql', 'output', 'json', 'mermaid'];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it('are all run, except for those with a reason', () => {
    const unused = notRun.filter(([page, begins]) =>
      !blocks.some((block) => block.page === page && block.text.startsWith(begins))
    );
    expect(unused).toEqual([]);
    expect(blocks.filter(({ language, file }) => ['ts', 'js'].includes(language) && file === undefined)).toEqual([]);
  });

  it('hold JSON if they are marked as JSON', () => {
    for (const { page, line, text } of blocks.filter(({ language }) => language === 'json')) {
      expect(() => JSON.parse(text), `${page}:${line}`).not.toThrow();
    }
  });
});

describe('the reader of the pages', () => {
  it('accepts only the shown output', () => {
    expect(isOutput('{"id":…}\n', '{"id":7}')).toBe(true);
    expect(isOutput('{"id":…}', '{"code":7}')).toBe(false);
    expect(isOutput('200', '200 more')).toBe(false);
    expect(isOutput('a.b', 'a-b')).toBe(false);
  });

  it('finds every fence of the pages', () => {
    for (const page of pages) {
      const fences = readFileSync(join(projectDir, page), 'utf8').match(/^ *```/gm) ?? [];
      expect(fences.length, page).toBe(2 * readBlocks(page).length);
    }
  });

  it('stops at a failing block, and reports its position', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'flow-page-'));
    try {
      const made = { page: 'canary', line: 1, file: undefined, beginsFile: false };
      const script = pageScript(dir, [
        { ...made, language: 'sh', text: 'false\n' },
        { ...made, language: 'sh', text: 'echo on\n' },
      ]);
      writeFileSync(join(dir, 'script'), script);
      expect((await run('bash', '--norc', join(dir, 'script'))).code).toBe(1);
      expect([printed(dir, 0, 'out'), printed(dir, 1, 'out')]).toEqual(['', undefined]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
