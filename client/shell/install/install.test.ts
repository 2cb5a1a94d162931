import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../main.ts';
import type { ProjectRelease } from './release.ts';

const CONFIG = `# My project.
project_id = "shop"

[api]
port = 54321 # the default

[functions.hello]
verify_jwt = true
`;
const SCHEMA = 'migrations/20261128000000_create_schema.sql';

const release = (version: string, files: Record<string, string>): ProjectRelease => ({
  version,
  files: new Map(Object.entries(files)),
});
const FIRST = {
  [SCHEMA]: 'create table flows ();\n',
  'functions/flow/index.js': 'import "../_flow_deployments/chunk_1.js";\n',
  'functions/info/index.js': 'export default 1;\n',
  'functions/_flow_deployments/chunk_1.js': '// the first chunk\n',
};
const first = release('0.3.0', FIRST);
/** Changes a function and the shared code, removes a function, and adds a function and a migration. */
const second = release('0.10.0', {
  [SCHEMA]: FIRST[SCHEMA]!,
  'migrations/20270101000000_add_column.sql': 'alter table flows add a int;\n',
  'functions/flow/index.js': 'import "../_flow_deployments/chunk_2.js";\n',
  'functions/kv/index.js': 'export default 2;\n',
  'functions/_flow_deployments/chunk_2.js': '// the second chunk\n',
});

let dir: string;
const place = (path: string) => join(dir, 'supabase', path);
const write = (path: string, text: string) => {
  mkdirSync(dirname(place(path)), { recursive: true });
  writeFileSync(place(path), text);
};
const read = (path: string) => readFileSync(place(path), 'utf8');
const append = (path: string, text: string) => write(path, read(path) + text);

/** Returns all files of the project with their texts. */
const allFiles = () =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [file.slice(dir.length + 1), readFileSync(file, 'utf8')]),
  );

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'flow-install-'));
  write('config.toml', CONFIG);
  write('migrations/20250101000000_shop.sql', 'create table products ();\n');
  write('functions/hello/index.ts', 'Deno.serve(() => new Response());\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function install(given: ProjectRelease, ...args: string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof printed) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        printed[name] += chunk;
        done();
      },
    });
  const code = await main(['install', ...args.some((arg) => !arg.startsWith('-')) ? args : [dir, ...args]], {
    stdin: Readable.from([]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    // The command needs no environment.
    env: {},
    signal: new AbortController().signal,
    readRelease: async () => given,
  });
  return { code, ...printed };
}

/** Expects that a release is refused with this message, and that no file is changed. */
async function expectRefused(given: ProjectRelease, message: RegExp | string, ...args: string[]): Promise<void> {
  const before = allFiles();
  const ended = await install(given, ...args);
  expect(ended).toEqual({
    code: 2,
    stdout: '',
    stderr: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });
  expect(allFiles()).toEqual(before);
}

const LINES = `# begin flow-deployments: \`npx flows install\` writes the lines down to \`end flow-deployments\`.
# verify_jwt is off, because the functions also accept API keys, public keys and run tokens.
[functions.flow]
verify_jwt = false
entrypoint = "./functions/flow/index.js"

[functions.info]
verify_jwt = false
entrypoint = "./functions/info/index.js"
# end flow-deployments
`;

describe('an installation', () => {
  it('adds migrations, functions and their entries, prints them, and leaves all else as it is', async () => {
    const before = allFiles();
    const dry = await install(first, '--dry-run');
    expect(allFiles()).toEqual(before);
    const ended = await install(first);
    expect(ended).toMatchObject({ code: 0, stdout: dry.stdout });
    expect(ended.stdout.trim().split('\n')).toEqual([
      'add      supabase/functions/_flow_deployments/ (1 files)',
      'add      supabase/functions/flow/index.js',
      'add      supabase/functions/info/index.js',
      `add      supabase/${SCHEMA}`,
      'replace  supabase/config.toml',
      'add      supabase/flows.json',
    ]);
    expect(ended.stderr).toContain('\n  npx supabase db push --remote\n');
    const added = Object.fromEntries(Object.entries(FIRST).map(([path, text]) => [`supabase/${path}`, text]));
    expect(allFiles()).toEqual({
      ...before,
      ...added,
      'supabase/config.toml': `${CONFIG}\n${LINES}`,
      'supabase/flows.json': expect.stringContaining('"version": "0.3.0"'),
    });
  });

  it('has no effect the second time', async () => {
    await install(first);
    const before = allFiles();
    expect(await install(first)).toMatchObject({ code: 0, stdout: `${dir} has version 0.3.0 already.\n` });
    expect(allFiles()).toEqual(before);
  });

  it('prints JSON with --json', async () => {
    await install(first);
    const { stdout } = await install(second, '--json', '--dry-run');
    expect(JSON.parse(stdout)).toMatchObject({ version: '0.10.0', former_version: '0.3.0', dry_run: true });
    expect(JSON.parse(stdout).changes).toContainEqual({ action: 'delete', path: 'supabase/functions/info/index.js' });
  });

  it('names --include-all if the project has later migrations', async () => {
    write('migrations/20270101000000_later.sql', '');
    expect((await install(first)).stderr).toContain('npx supabase db push --remote --include-all\n');
  });

  it.each([
    ['no line break at the end', CONFIG.trimEnd(), `${CONFIG.trimEnd()}\n\n${LINES}`],
    ['line breaks of Windows', CONFIG.replaceAll('\n', '\r\n'), `${CONFIG}\n${LINES}`.replaceAll('\n', '\r\n')],
    ['no text', '', LINES],
    ['a byte order mark', `\ufeff${CONFIG}`, `\ufeff${CONFIG}\n${LINES}`],
  ])('fits to a config.toml with %s', async (_name, config, wanted) => {
    write('config.toml', config);
    expect((await install(first)).code).toBe(0);
    expect(read('config.toml')).toBe(wanted);
    expect((await install(first)).stdout).toContain('already');
  });
});

describe('names of the project', () => {
  it.each([
    ['a function', 'functions/flow/index.ts', 'functions/flow is another function: it has functions/flow/index.ts.'],
    ['a file of shared code', 'functions/_flow_deployments/a.ts', 'functions/_flow_deployments is another function'],
    ['a migration', SCHEMA, `${SCHEMA} exists already.`],
    [
      'a version',
      'migrations/20261128000000_mine.sql',
      '20261128000000_mine.sql has the version of another migration.',
    ],
  ])('are not replaced, even with --force: %s', async (_name, path, message) => {
    write(path, 'mine');
    await expectRefused(first, message);
    await expectRefused(first, message, '--force');
  });

  it.each([
    ['a table', `${CONFIG}[functions.flow]\nverify_jwt = true\n`],
    ['a quoted name', `${CONFIG}[functions . "flow"]\nverify_jwt = true\n`],
    ['a dotted key', `functions.flow.verify_jwt = true\n`],
    ['a part of a table', `[functions]\nflow.verify_jwt = true\n`],
    ['an inline table', `functions = { flow = { verify_jwt = true } }\n`],
  ])('in config.toml are not replaced: %s', async (_name, config) => {
    write('config.toml', config);
    await expectRefused(first, 'supabase/config.toml has an entry [functions.flow].', '--force');
  });

  it('that a later version needs are not replaced', async () => {
    await install(first);
    write('functions/kv/index.ts', 'mine');
    await expectRefused(second, 'supabase/functions/kv is another function');
  });

  it('may be like those of the installation elsewhere in config.toml', async () => {
    write('config.toml', `# [functions.flow]\ntext = """\n[functions.flow]\n"""\n[remotes.a.functions.flow]\n`);
    expect((await install(first)).code).toBe(0);
  });
});

describe('an upgrade', () => {
  it('replaces what the former version wrote, and leaves all else as it is', async () => {
    await install(first);
    write('config.toml', `# above\n${read('config.toml')}\n# below\n[edge_runtime]\npolicy   =  "oneshot"`);
    write('functions/flow/.npmrc', 'mine');
    write('functions/info/README.md', 'mine');
    const before = allFiles();
    const ended = await install(second);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Installed version 0.10.0 (was 0.3.0)') });
    expect(ended.stdout.trim().split('\n')).toEqual([
      'delete   supabase/functions/_flow_deployments/ (1 files)',
      'add      supabase/functions/_flow_deployments/ (1 files)',
      'replace  supabase/functions/flow/index.js',
      'delete   supabase/functions/info/index.js',
      'add      supabase/functions/kv/index.js',
      'add      supabase/migrations/20270101000000_add_column.sql',
      'replace  supabase/config.toml',
      'replace  supabase/flows.json',
    ]);
    const after = allFiles();
    for (const path of ['functions/info/index.js', 'functions/_flow_deployments/chunk_1.js']) {
      delete before[`supabase/${path}`];
    }
    expect(after).toEqual({
      ...before,
      ...Object.fromEntries([...second.files].map(([path, text]) => [`supabase/${path}`, text])),
      'supabase/config.toml': `# above\n${CONFIG}\n${
        LINES.replaceAll('info', 'kv')
      }\n# below\n[edge_runtime]\npolicy   =  "oneshot"`,
      'supabase/flows.json': expect.stringContaining('"version": "0.10.0"'),
    });
  });

  it('removes the folder of a function that the version lacks', async () => {
    await install(first);
    await install(second);
    expect(readdirSync(place('functions')).toSorted()).toEqual(['_flow_deployments', 'flow', 'hello', 'kv']);
  });

  it('keeps an edited file that the version does not change, until --force undoes the edit', async () => {
    await install(first);
    append(SCHEMA, '-- mine\n');
    const upgraded = await install(second);
    expect(upgraded).toMatchObject({ code: 0, stdout: expect.stringContaining(`keep     supabase/${SCHEMA}\n`) });
    expect(read(SCHEMA)).toContain('-- mine');
    const again = await install(second);
    expect(again.stdout).toBe(`keep     supabase/${SCHEMA}\n${dir} has version 0.10.0 already.\n`);
    expect((await install(second, '--force')).stdout).toBe(`replace  supabase/${SCHEMA}\n`);
    expect(read(SCHEMA)).toBe(FIRST[SCHEMA]);
  });

  it.each(['functions/flow/index.js', 'functions/info/index.js', 'functions/_flow_deployments/chunk_1.js'])(
    'of the edited %s, which the version changes or removes, needs --force',
    async (path) => {
      await install(first);
      append(path, '// mine\n');
      await expectRefused(second, `supabase/${path}\n`);
      expect((await install(second, '--force')).code).toBe(0);
      expect(second.files.get(path)).toBe(allFiles()[`supabase/${path}`]);
    },
  );

  it('keeps edited entries of config.toml if the version has the same ones', async () => {
    await install(first);
    const edited = read('config.toml').replace('[functions.info]', '[functions.info]\nenabled = false');
    write('config.toml', edited);
    const same = release('0.3.1', { ...FIRST, 'functions/info/index.js': 'export default 3;\n' });
    expect((await install(same)).stdout).toContain('keep     supabase/config.toml\n');
    expect(read('config.toml')).toBe(edited);
    await expectRefused(second, 'supabase/config.toml\n');
    expect((await install(second, '--force')).code).toBe(0);
    expect(read('config.toml')).toBe(`${CONFIG}\n${LINES.replaceAll('info', 'kv')}`);
  });

  it('restores a deleted file', async () => {
    await install(first);
    rmSync(place(SCHEMA));
    expect((await install(second)).stdout).toContain(`add      supabase/${SCHEMA}\n`);
    expect(read(SCHEMA)).toBe(FIRST[SCHEMA]);
  });

  it('takes files with the line breaks of Windows for unedited', async () => {
    await install(first);
    for (const path of [...Object.keys(FIRST), 'config.toml', 'flows.json']) {
      write(path, read(path).replaceAll('\n', '\r\n'));
    }
    expect((await install(first)).stdout).toContain('already');
    expect((await install(second)).code).toBe(0);
    expect(read('config.toml')).toBe(`${CONFIG}\n${LINES.replaceAll('info', 'kv')}`.replaceAll('\n', '\r\n'));
  });

  it('that was interrupted goes on when it is repeated', async () => {
    await install(first);
    for (const path of ['functions/_flow_deployments/chunk_2.js', 'functions/flow/index.js']) {
      write(path, second.files.get(path)!);
    }
    rmSync(place('functions/_flow_deployments/chunk_1.js'));
    expect((await install(second)).code).toBe(0);
    for (const [path, text] of second.files) expect(read(path)).toBe(text);
  });

  it('to an older version is refused', async () => {
    await install(second);
    await expectRefused(first, 'The project has version 0.10.0, which is newer than 0.3.0.', '--force');
  });
});

describe('supabase/flows.json', () => {
  it('is written again if it is gone and all files are of this version', async () => {
    await install(first);
    const record = read('flows.json');
    rmSync(place('flows.json'));
    expect((await install(first)).stdout).toBe('add      supabase/flows.json\n');
    expect(read('flows.json')).toBe(record);
  });

  it('is needed for an upgrade', async () => {
    await install(first);
    rmSync(place('flows.json'));
    await expectRefused(second, 'Restore it from version control.');
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['no files', '{"version": "0.3.0"}'],
    ['a version of another form', JSON.stringify({ version: 'x', files: {}, config: 'a'.repeat(64) })],
    ...['../a', 'functions/../../a', '/a', 'functions//a', 'config.toml', 'functions/a\\..\\b'].map((path) => [
      `the path ${path}`,
      JSON.stringify({ version: '0.3.0', files: { [path]: 'a'.repeat(64) }, config: 'a'.repeat(64) }),
    ]),
  ])('is refused with %s', async (_name, text) => {
    write('flows.json', text!);
    await expectRefused(first, 'supabase/flows.json is not as `flows install` writes it.');
  });
});

describe('a folder', () => {
  it('must exist and have a config.toml', async () => {
    await expectRefused(first, 'is not a folder.', join(dir, 'nowhere'));
    await expectRefused(first, 'is not a folder.', place('config.toml'));
    await expectRefused(first, `Use the folder around it: ${dir}`, join(dir, 'supabase'));
    rmSync(place('config.toml'));
    await expectRefused(first, 'because it has no supabase/config.toml. To make one: npx supabase init');
  });

  it('needs a valid config.toml', async () => {
    write('config.toml', `${CONFIG}port = = 1\n`);
    await expectRefused(first, 'error: supabase/config.toml, line 9, column 8: Invalid TOML document');
    write('config.toml', `functions = { hello = { verify_jwt = true } }\n`);
    await expectRefused(first, 'has its functions in one value');
  });

  it.each([
    ['without its end', LINES.replace('# end flow-deployments\n', '')],
    ['twice', `${LINES}# begin flow-deployments\n# end flow-deployments\n`],
    ['in the wrong order', '# end flow-deployments\n# begin flow-deployments\n'],
  ])('may not have the marks of config.toml %s', async (_name, text) => {
    await install(first);
    write('config.toml', `${CONFIG}\n${text}`);
    await expectRefused(second, 'supabase/config.toml must have one line "# begin flow-deployments"');
  });

  it('may not lead elsewhere by symbolic links', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'flow-elsewhere-'));
    try {
      for (const path of ['migrations', 'functions/flow', 'flows.json']) {
        rmSync(place(path), { recursive: true, force: true });
        symlinkSync(elsewhere, place(path));
        await expectRefused(first, `is a symbolic link that leads out of ${dir}`);
        rmSync(place(path));
        symlinkSync(join(dir, 'nowhere'), place(path));
        await expectRefused(first, 'is a symbolic link to something that does not exist.');
        rmSync(place(path));
      }
      expect(readdirSync(elsewhere)).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('may have symbolic links within it, and may be one', async () => {
    mkdirSync(join(dir, 'edge'));
    rmSync(place('functions'), { recursive: true });
    symlinkSync('../edge', place('functions'));
    const link = `${dir}-link`;
    symlinkSync(dir, link);
    try {
      expect((await install(first, link)).code).toBe(0);
      expect(readFileSync(join(dir, 'edge/flow/index.js'), 'utf8')).toBe(FIRST['functions/flow/index.js']);
    } finally {
      rmSync(link);
    }
  });

  it('may not have files in place of folders, nor folders in place of files', async () => {
    rmSync(place('functions'), { recursive: true });
    write('functions', '');
    await expectRefused(first, `${place('functions')} must be a folder.`);
    rmSync(place('functions'));
    mkdirSync(place(SCHEMA));
    await expectRefused(first, `${place(SCHEMA)} is a folder, but a file of that name is needed.`);
  });
});
