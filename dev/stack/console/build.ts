import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stacksDir } from '../../../platform/local_stack/running_stacks.ts';
import { runCommand } from '../command.ts';
import { projectDir } from '../paths.ts';
import { StackError } from '../stack_error.ts';
import { hashConsoleSources } from './sources.ts';

/** The builds for all stacks of this checkout, each in a folder named by the hash of its sources. */
const buildsDir = join(stacksDir, 'console');
/** The number of builds that are kept. Other stacks of this checkout may still serve an older build. */
const BUILDS_KEPT = 4;

/** Returns the path of Vite's program. Vite is missing if only the worker's packages are installed. */
function viteProgram(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  } catch (error) {
    throw new StackError('The console can not be built, because its packages are not installed: npm install', {
      cause: error,
    });
  }
}

/** Deletes all builds but the newest ones. */
async function removeOldBuilds(): Promise<void> {
  const names = await readdir(buildsDir);
  const builds = await Promise.all(names.map(async (name) => {
    const dir = join(buildsDir, name);
    return { dir, changedAt: (await stat(dir)).mtimeMs };
  }));
  const old = builds.toSorted((a, b) => b.changedAt - a.changedAt).slice(BUILDS_KEPT);
  await Promise.all(old.map(({ dir }) => rm(dir, { recursive: true, force: true })));
}

/**
 * Returns the folder with the built console. The same sources are built only once, for the first stack that needs them.
 * Throws a StackError with the builder's output.
 */
export async function buildConsole(signal: AbortSignal): Promise<string> {
  const dir = join(buildsDir, await hashConsoleSources());
  if (existsSync(dir)) return dir;
  await mkdir(buildsDir, { recursive: true });
  const draft = await mkdtemp(join(buildsDir, 'draft-'));
  try {
    await runCommand(process.execPath, [viteProgram(), 'build', 'console', '--outDir', draft, '--logLevel', 'warn'], {
      name: 'The build of the console',
      cwd: projectDir,
      env: { ...process.env, NODE_ENV: 'production' },
      signal,
    });
    // Another stack may have stored the same build meanwhile.
    await rename(draft, dir).catch((error) => {
      if (!existsSync(dir)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOldBuilds();
  return dir;
}
