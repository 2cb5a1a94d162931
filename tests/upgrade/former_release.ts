import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { readReleases, unreleasedMigrations } from '../../dev/database/releases.ts';
import { projectDir, typescriptLoader } from '../../dev/stack/paths.ts';

const run = promisify(execFile);

/** Returns the commit of a release: the first one whose list of releases names it. */
async function commitOf(version: string): Promise<string> {
  const args = ['log', '--format=%H', '--reverse', `-S"version": "${version}"`, '--', 'supabase/releases.json'];
  const { stdout } = await run('git', args, { cwd: projectDir });
  const [commit] = stdout.split('\n');
  if (commit) return commit;
  throw new Error(`git has no commit of release ${version}, which the upgrade test needs`);
}

/** A checkout of a release, which uses the packages of this checkout. */
export interface FormerRelease {
  dir: string;
  remove: () => Promise<void>;
}

/** Writes the files of a release into a folder. */
export async function checkOutRelease(version: string): Promise<FormerRelease> {
  const dir = join(projectDir, '.stack', `release-${version}-${process.pid}`);
  await mkdir(dir, { recursive: true });
  const archive = `${dir}.tar`;
  await run('git', ['archive', '--output', archive, await commitOf(version)], { cwd: projectDir });
  await run('tar', ['-xf', archive, '-C', dir]);
  await rm(archive);
  // In a shallow clone, the oldest commit seems to add every line.
  const migrations = await readdir(join(dir, 'supabase/migrations'));
  if (migrations.some((name) => name in unreleasedMigrations(readReleases()))) {
    throw new Error(`the commit of release ${version} is missing; the upgrade test needs it: git fetch --unshallow`);
  }
  for (const modules of ['node_modules', 'console/node_modules']) {
    await symlink(join(projectDir, modules), join(dir, modules));
  }
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** A stack that the code of a former release serves. */
export interface FormerStack {
  status: StackStatus;
  stop: () => Promise<void>;
}

/** Boots a stack in the process in which it runs. It reads its options from the environment, and prints its status. */
const BOOT = `
  const { startStack } = await import('./dev/stack/stack.ts');
  const options = JSON.parse(process.env.STACK_OPTIONS);
  const stack = await startStack({ ...options, log: (line) => console.error(line) });
  console.log(JSON.stringify(stack.status));
  process.once('SIGTERM', async () => {
    await stack.stop();
    process.exit();
  });
`;

/** Boots the stack of a release with its own code, as `npm start` does, on the data in `options.dir`. */
export async function startFormerStack(
  release: FormerRelease,
  options: { port: number; dir: string },
): Promise<FormerStack> {
  // No function is restarted for changed files, and nothing wakes the runner but the starts.
  const settings = { ...options, watch: false, sweep: false, authRates: null };
  const child = spawn(process.execPath, ['--import', typescriptLoader, '--input-type=module', '--eval', BOOT], {
    cwd: release.dir,
    env: { ...process.env, STACK_OPTIONS: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors += text);
  const ended = once(child, 'close');
  const printed = new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.endsWith('}\n')) resolve(output);
    });
    child.once('close', () => reject(new Error(`the stack of the former release ended:\n${errors}`)));
  });
  return {
    status: JSON.parse(await printed),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
