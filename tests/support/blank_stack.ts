import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keysFileOf } from '../../platform/local_stack/running_stacks.ts';
import { deleteData } from '../../dev/stack/postgres/cluster.ts';
import { loadKeys } from '../../dev/stack/keys.ts';
import { preparePostgres } from '../../dev/stack/postgres/postgres_home.ts';
import { startStack } from '../../dev/stack/stack.ts';
import { dataDirOf } from '../../dev/stack/stack_dir.ts';

/** Settings of a database that may lose its data in a crash. */
export const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Makes the folder of a stack that is migrated and stopped. */
export async function makeBlankStack(dir: string, port: number): Promise<void> {
  const functionsDir = await mkdtemp(join(tmpdir(), 'flow-functions-'));
  try {
    const stack = await startStack({ port, dir, functionsDir, sweep: false, postgresSettings: VOLATILE });
    await stack.stop();
  } finally {
    await rm(functionsDir, { recursive: true });
  }
}

/**
 * Copies the data of a stopped stack to another folder, and replaces the data there. The copy gets new keys. A boot
 * with the copy takes a tenth of the time of a first boot.
 */
export async function copyStack(from: string, to: string): Promise<void> {
  const home = await preparePostgres();
  const { dbPassword } = await loadKeys(keysFileOf(from));
  await mkdir(to, { recursive: true });
  const [source, copy] = [from, to].map((dir) => home.dataDir(dataDirOf(dir))) as [string, string];
  await deleteData(dataDirOf(to));
  // `cp` keeps the owner of the files. The function `cp` of Node does not.
  await promisify(execFile)('cp', ['-Rp', source, copy]);
  const keys = await loadKeys(keysFileOf(to));
  await writeFile(keysFileOf(to), JSON.stringify({ ...keys, dbPassword }), { mode: 0o600 });
}
