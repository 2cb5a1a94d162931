import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../stack/command.ts';
import { stacksDir } from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../stack/paths.ts';

const FILES = ['package.json', 'package-lock.json'];

/** The packages of this folder: programs that only checks and tests need. */
const source = join(projectDir, 'dev/tools');

async function install(): Promise<string> {
  const lock = createHash('sha256').update(await readFile(join(source, 'package-lock.json'))).digest('hex');
  const dir = join(stacksDir, 'tools', lock.slice(0, 16));
  if (existsSync(dir)) return dir;
  await mkdir(join(stacksDir, 'tools'), { recursive: true });
  const draft = await mkdtemp(`${dir}-`);
  try {
    for (const file of FILES) await copyFile(join(source, file), join(draft, file));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runCommand('npm', args, { name: 'npm ci for dev/tools', cwd: draft });
    // Another process may have been first. Its folder has the same packages.
    await rename(draft, dir).catch((error: unknown) => {
      if (!existsSync(dir)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return dir;
}

let installed: Promise<string> | undefined;

/**
 * Returns a folder in which the packages of dev/tools are installed, and installs them on first use. `npm install` of
 * the project leaves them out, because they are large and a user of the stack needs none of them. Throws a StackError
 * if npm can't install them.
 */
export const toolsDir = (): Promise<string> => installed ??= install();
