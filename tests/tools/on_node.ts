/**
 * Runs the unit tests, the demo and the tests of the worker on other versions of Node: `npm run test:node -- 22 24`.
 * Without arguments it uses all versions of `engines` in package.json. Fetches each version once, to `.stack/node/`:
 * npm's package `node` has a package for each platform, which holds the binary.
 */
import { spawnSync } from 'node:child_process';
import { arch, platform } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { supportedNodes } from './supported_nodes.ts';

/** The worker executes runs on Node itself; on the rest of a stack, Deno and Postgres do most of the work. */
const STACK_TEST = 'tests/durability/worker_command.test.ts';

function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  const options = { cwd: projectDir, stdio: 'inherit', env: { ...process.env, ...env } } as const;
  return spawnSync(program, args, options).status === 0;
}

/** Returns the folder with the binary of a version, which npm fetches if it is missing. */
function fetchNode(version: string): string {
  const packageName = `node-${platform() === 'win32' ? 'win' : platform()}-${arch()}`;
  return join(fetchPackage('node', packageName, version), 'bin');
}

const supported = supportedNodes();
const versions = process.argv.length > 2 ? process.argv.slice(2) : supported;
const unknown = versions.filter((version) => !supported.includes(version));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: not a version in engines of package.json (${supported.join(', ')})`);
  process.exit(2);
}
const failed: string[] = [];
for (const version of versions) {
  // The programs start others as `node`, so the folder comes first in the search path.
  const env = { PATH: [fetchNode(version), process.env['PATH']].join(delimiter) };
  run('node', ['--version'], env);
  for (const program of [['test', '--', '--project', 'unit'], ['run', 'demo'], ['test', '--', STACK_TEST]]) {
    if (!run('npm', program, env)) failed.push(`Node ${version}: npm ${program.join(' ')}`);
  }
}
console.log(failed.length === 0 ? `All passed on Node ${versions.join(', ')}.` : `Failed:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
