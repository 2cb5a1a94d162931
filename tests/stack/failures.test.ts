import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { pause } from '../../platform/pause.ts';
import { deleteData, startCluster } from '../../dev/stack/postgres/cluster.ts';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { assertPortsFree, databasePort } from '../../dev/stack/ports.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { preparePostgres } from '../../dev/stack/postgres/postgres_home.ts';
import { postgrestBinary } from '../../dev/stack/postgrest.ts';
import { findSilentFunctions } from '../../dev/stack/silent_functions.ts';
import type { StackOptions } from '../../dev/stack/stack_options.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { npmScript } from '../support/npm_script.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let own: OwnStack;
let dir: string;

beforeAll(async () => {
  own = await makeOwnStack('failures');
  dir = await mkdtemp(join(tmpdir(), 'flow-failures-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await own.stop();
});
afterAll(async () => {
  await own.remove();
  await rm(dir, { recursive: true });
});

/** Boots the stack, which must refuse in one line and leave nothing behind. Returns this reason. */
async function refusal(options?: Partial<StackOptions>): Promise<string> {
  const error = await own.boot(options).then(() => undefined, (reason) => reason);
  expect(error).toBeInstanceOf(StackError);
  expect(error.message).not.toContain('\n');
  return error.message;
}

/** Makes a program that leaves a mark and then runs another one. */
async function makeWrapper(name: string, program: string): Promise<string> {
  const wrapper = join(dir, name);
  await writeFile(wrapper, `#!/bin/sh\necho ${name} >> '${dir}/marks'\nexec '${program}' "$@"\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}

it.each(['POSTGREST_BIN', 'DENO_BIN', 'POSTGRES_HOME'])(
  'a %s with a missing path is refused in one line',
  async (name) => {
    vi.stubEnv(name, '/nowhere/at/all');
    expect(await refusal()).toMatch(new RegExp(`^${name} is set to /nowhere/at/all, which `));
  },
);

it('a POSTGRES_HOME without extensions is refused in one line', async () => {
  await mkdir(join(dir, 'bin'));
  for (const program of ['postgres', 'initdb']) await writeFile(join(dir, 'bin', program), '');
  vi.stubEnv('POSTGRES_HOME', dir);
  expect(await refusal()).toBe(`${dir} is not a Postgres installation: share/postgresql/extension is missing`);
});

it('the stack runs the programs of POSTGREST_BIN, DENO_BIN and POSTGRES_HOME', async () => {
  await own.writeFunction(`export default { fetch: () => new Response('hello') };`);
  const home = (await preparePostgres()).bin('postgres').replace(/\/bin\/postgres$/, '');
  vi.stubEnv('POSTGREST_BIN', await makeWrapper('postgrest', postgrestBinary()));
  vi.stubEnv('DENO_BIN', await makeWrapper('deno', denoBinary()));
  vi.stubEnv('POSTGRES_HOME', home);
  const { status } = await own.boot();
  expect(await (await fetch(`${status.FUNCTIONS_URL}/hello`)).text()).toBe('hello');
  // Two PostgRESTs run: one for /rest/v1 and one for the functions.
  const started = new Set((await readFile(join(dir, 'marks'), 'utf8')).trim().split('\n'));
  expect(started).toEqual(new Set(['deno', 'postgrest']));
});

it('npm run status names a function that an edit has broken', async () => {
  const source = `export default { fetch: () => new Response('hello') };`;
  await own.writeFunction(source);
  const { status } = await own.boot();
  expect(await findSilentFunctions(status, ['hello'])).toEqual([]);
  await own.writeFunction('export default {{');
  await waitFor(async () => (await findSilentFunctions(status, ['hello'])).length > 0 || undefined);
  await own.writeFunction(source);
  await waitFor(async () => (await findSilentFunctions(status, ['hello'])).length === 0 || undefined);
});

it('a program that ends at once is reported by name, and the boot leaves nothing behind', async () => {
  vi.stubEnv('POSTGREST_BIN', '/bin/false');
  await expect(own.boot()).rejects.toThrow(/^PostgREST( of the functions)? ended with exit code 1/);
  await assertPortsFree(own.port);
});

describe('a platform', () => {
  const importOn = async (platform: string) => {
    vi.resetModules();
    vi.doMock(
      'node:os',
      async (original) => ({ ...await original<object>(), platform: () => platform, arch: () => 'mips' }),
    );
    return await import('../../dev/stack/stack.ts');
  };
  afterEach(() => {
    vi.doUnmock('node:os');
    vi.resetModules();
  });

  it('without npm binaries is refused in one line with the package and the remedy', async () => {
    const { startStack } = await importOn('sunos');
    await expect(startStack({ port: own.port, dir: own.dir })).rejects.toThrow(
      /^There is no Deno here: the npm package @deno\/sunos-mips is not installed\. .* set DENO_BIN to a Deno 2 binary\.$/,
    );
  });

  it('without Unix sockets for all parts, such as Windows, is refused in one line', async () => {
    const { startStack } = await importOn('win32');
    await expect(startStack({ port: own.port, dir: own.dir })).rejects.toThrow(
      /^The local stack runs on Linux and macOS.*$/,
    );
  });
});

it.each([['gateway', 0], ['database', 1]])(
  'a taken port of the %s is refused in one line that names it',
  async (_part, offset) => {
    const taken = createServer().listen(own.port + offset, '127.0.0.1');
    await once(taken, 'listening');
    try {
      expect(await refusal()).toMatch(new RegExp(`^Port ${own.port + offset} is taken; `));
    } finally {
      taken.close();
    }
  },
);

it('a port that a connection to elsewhere holds is awaited, because nothing listens there', async () => {
  const elsewhere = createServer().listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const client = createConnection((elsewhere.address() as AddressInfo).port, '127.0.0.1').resume();
  const [accepted]: Socket[] = await once(elsewhere, 'connection');
  const free = assertPortsFree(client.localPort!);
  expect(await Promise.race([free.then(() => 'free', String), pause(500).then(() => 'awaited')])).toBe('awaited');
  // The end that closes first keeps its port for a minute.
  accepted!.destroy();
  await free;
  elsewhere.close();
});

it('a folder that cannot be made is refused in one line that names it', async () => {
  await writeFile(join(dir, 'file'), '');
  expect(await refusal({ dir: join(dir, 'file/stack') })).toContain(`${join(dir, 'file/stack')}, which can't be made`);
});

it("another user's folder is refused in one line, by start, status and demo", async () => {
  const claimed = stackDir(own.port);
  await mkdir(claimed, { recursive: true });
  await writeFile(join(claimed, 'stack.json'), '{}', { mode: 0o600 });
  await chmod(claimed, isRoot ? 0o755 : 0o000);
  try {
    for (const script of ['start', 'status', 'demo']) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        npmScript(script, '--port', String(own.port)),
        // Root may read everything, so another user runs the commands then.
        { cwd: projectDir, encoding: 'utf8', ...isRoot && { uid: NOBODY, gid: NOBODY } },
      );
      expect([status, stdout, stderr.trim()]).toEqual([
        1,
        '',
        `${claimed} belongs to another user (EACCES): run this as that user, or choose another port: -- --port <N>`,
      ]);
    }
  } finally {
    await chmod(claimed, 0o755);
    await rm(claimed, { recursive: true });
  }
});

it.runIf(isRoot)(
  'as root in a folder that user postgres cannot enter, the database is in /var/tmp and works',
  async () => {
    const closed = await mkdtemp(join(tmpdir(), 'flow-closed-'));
    await chmod(closed, 0o700);
    const dataDir = join(closed, 'postgres');
    const lines: string[] = [];
    const start = () =>
      startCluster({
        dataDir,
        port: databasePort(own.port),
        dbPassword: 'secret',
        settings: { fsync: 'off' },
        log: (line) => lines.push(line),
      });
    try {
      const first = await start();
      expect(first.isNew).toBe(true);
      expect(lines).toEqual([
        expect.stringMatching(new RegExp(`^The database is kept in /var/tmp/.*can't enter ${closed}\\.$`)),
      ]);
      await first.part.stop();

      const second = await start();
      expect(second.isNew).toBe(false);
      const sql = connect(second.url('postgres'));
      expect(await sql`select current_user as name`).toEqual([{ name: 'postgres' }]);
      await sql.end();
      await second.part.stop();
    } finally {
      await deleteData(dataDir);
      await rm(closed, { recursive: true });
    }
  },
);

describe('data', () => {
  it('without its keys is refused in one line with the remedy', async () => {
    await own.boot();
    await own.stop();
    const keys = join(own.dir, 'keys.json');
    await rename(keys, `${keys}.away`);
    expect(await refusal()).toMatch(/keys\.json, which held the password .* is gone\. .*: npm start -- --reset$/);
    await rename(`${keys}.away`, keys);
  });

  it.each([
    ['newer', '29990101000000', /^The database is newer than this code: .*\(29990101000000\)\. Nothing was changed\. /],
    ['older than all releases', '20000101000000', /^The database was made before release 0\.3\.0, .* --reset$/],
  ])('that is %s is refused in one line', async (_what, version, message) => {
    const { status } = await own.boot({ reset: true });
    const sql = connect(status.DB_URL);
    await sql`insert into supabase_migrations.schema_migrations (version) values (${version})`;
    await sql.end();
    await own.stop();
    expect(await refusal()).toMatch(message);
  });
});
