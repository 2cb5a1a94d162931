import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { ACCESS_TOKEN, type ManagementApi, PROJECT_REF, startManagementApi } from './management_api.ts';

const recipe = 'docs/guides/hosted.md';
const pages = [
  'README.md',
  ...readdirSync(join(projectDir, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** The commands that a page tells its readers to type, in code blocks and within the text. */
const linesOf = (page: string): string[] =>
  [...readFileSync(join(projectDir, page), 'utf8').matchAll(/^npx supabase [^#\n]*|`npx supabase [^`\n]*`/gm)]
    .map(([line]) => line.replaceAll(/^`|`$/g, '').trim());

const lines = [...new Set(pages.flatMap(linesOf))];

/** For each command, how this test checks it. If a command needs Docker or a browser, the test checks only its help. */
const expected: Record<string, 'project' | 'docker' | 'browser'> = {
  'login': 'browser',
  'link': 'project',
  'db push': 'project',
  'functions deploy': 'project',
  'secrets set': 'project',
  'start': 'docker',
};

/** Returns those words of a line that name the command. */
const commandOf = (line: string): string =>
  Object.keys(expected).find((name) => `${line} `.startsWith(`npx supabase ${name} `)) ?? `unknown: ${line}`;

interface Ended {
  code: number;
  output: string;
}

let api: ManagementApi;
/**
 * A copy of the files that the CLI reads. The CLI stores the linked project beside these files, so it must not work in
 * the folder of this repository.
 */
let copy: string;

/** Runs a line in a shell, and answers the CLI's questions with yes. */
const run = (line: string): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      PATH: [join(projectDir, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
      HOME: copy,
      SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
      SUPABASE_PROFILE: join(copy, 'profile.yaml'),
      SUPABASE_YES: '1',
      SUPABASE_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
    };
    execFile('bash', ['--norc', '-c', line], { cwd: copy, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });

const helps = new Map<string, Promise<Ended>>();

/** Returns the help of a command. The test requests each help text once. */
function helpOf(command: string): Promise<Ended> {
  const help = helps.get(command) ?? run(`supabase ${command} --help`);
  helps.set(command, help);
  return help;
}

/**
 * Returns the line as a reader types it, with the stub's project. Removes npx, which would only look for the package.
 */
const filledIn = (line: string): string => line.replace(/^npx /, '').replaceAll('<ref>', PROJECT_REF);

const LINK = `supabase link --project-ref ${PROJECT_REF}`;
let linked: Ended;

beforeAll(async () => {
  api = await startManagementApi({ hasProject: true });
  copy = mkdtempSync(join(tmpdir(), 'flow-recipe-'));
  for (
    const path of ['supabase/config.toml', 'supabase/migrations', 'supabase/seed.sql', 'functions', 'runner', 'types']
  ) {
    await cp(join(projectDir, path), join(copy, path), { recursive: true });
  }
  await symlink(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, 'profile.yaml'), api.profile);
  // The other commands use the project that this command has linked.
  linked = await run(LINK);
  expect(linked.code, linked.output).toBe(0);
});
afterAll(async () => {
  await api.close();
  await rm(copy, { recursive: true, force: true });
});

it('the guide has all commands for hosted Supabase, and every command of the pages is checked here', () => {
  const commandsOf = (typed: string[]) => [...new Set(typed.map(commandOf))].toSorted();
  expect(commandsOf(linesOf(recipe))).toEqual(Object.keys(expected).toSorted());
  expect(commandsOf(lines)).toEqual(Object.keys(expected).toSorted());
});

describe.each(lines)('%s', (line) => {
  // Commands that are executed need no check here: an unknown flag makes them fail.
  it.runIf(expected[commandOf(line)] !== 'project')('has flags that the CLI knows', async () => {
    const { output } = await helpOf(commandOf(line));
    const flags = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag!);
    const known = [...output.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag!);
    expect(known).toContain('--help');
    expect(known).toEqual(expect.arrayContaining(flags));
  });

  it.runIf(expected[commandOf(line)] === 'project')('goes to the linked project', async () => {
    const typed = filledIn(line);
    const { code, output } = typed === LINK ? linked : await run(typed);
    expect(output).toMatch(new RegExp(`^Target: project .*${PROJECT_REF}`, 'm'));
    // This command needs the project's database, which the stub lacks.
    expect(code, output).toBe(commandOf(line) === 'db push' ? 1 : 0);
    expect(api.unknownRequests).toEqual([]);
  });
});

it('an unknown flag is an error, and the command has no effect', async () => {
  const { code, output } = await run(`${LINK} --no-such-flag`);
  expect([code, output]).toEqual([1, expect.stringContaining('no-such-flag')]);
  expect(output).not.toContain('Target: project');
});

it('db push goes to a local database unless --remote is given', async () => {
  expect((await run('supabase db push --dry-run')).output).toMatch(/^Target: local stack/);
});

it('the lines set the secret and deploy all functions', () => {
  // NAME is from an example of the environment page, where it stands for any variable.
  expect(api.secrets.filter((name) => name !== 'NAME')).toEqual(['WALLET_KEYS']);
  expect(api.uploads.map(({ slug }) => slug).toSorted()).toEqual(api.bulkUpdates.at(-1)?.toSorted());
  expect(api.uploads).not.toEqual([]);
});

describe('secrets', () => {
  const isIgnored = (path: string) =>
    spawnSync('git', ['check-ignore', '--quiet', path], { cwd: projectDir }).status === 0;

  it('for `supabase start` are in the documented file that the CLI reads, ignored by git except for the example', async () => {
    const file = 'supabase/functions/.env';
    expect((await helpOf('functions serve')).output).toContain(file);
    expect(readFileSync(join(projectDir, recipe), 'utf8')).toContain(` ${file}\n`);
    expect(existsSync(join(projectDir, `${file}.example`))).toBe(true);
    expect(isIgnored(file)).toBe(true);
    expect(isIgnored(`${file}.example`)).toBe(false);
  });

  it.each(['.env', '.env.local', 'functions/.env', 'functions/wallets/.env.production', '.stack/54321/keys.json'])(
    'in %s are ignored by git',
    (path) => expect(isIgnored(path)).toBe(true),
  );
});
