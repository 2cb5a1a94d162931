import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stacksDir } from '../../platform/local_stack/running_stacks.ts';

/**
 * Returns the folder of a version of a package that only one command needs. npm fetches it on first use, to
 * `.stack/<name>/<version>`. If npm can't fetch it, npm says why, and the process ends.
 */
export function fetchPackage(name: string, packageName: string, version: string): string {
  const dir = join(stacksDir, name, version);
  const fetched = join(dir, 'node_modules', packageName);
  if (existsSync(fetched)) return fetched;
  mkdirSync(dir, { recursive: true });
  const args = ['install', '--prefix', dir, '--no-save', '--ignore-scripts', `${packageName}@${version}`];
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  return fetched;
}
