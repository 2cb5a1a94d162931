import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keysFileOf } from '../../platform/local_stack/running_stacks.ts';
import { deleteData } from './postgres/cluster.ts';
import { loadKeys, type StackKeys } from './keys.ts';
import { isInitialised } from './postgres/postgres.ts';
import { StackError } from './stack_error.ts';

/** Longer paths don't fit into the address of a Unix socket (104 bytes on macOS, 108 on Linux). */
const MAX_TEMP_DIR_LENGTH = 60;

/** Makes a folder for the Unix sockets, whose addresses must be short. */
export const makeSocketDir = (): string =>
  mkdtempSync(join(tmpdir().length > MAX_TEMP_DIR_LENGTH ? '/tmp' : tmpdir(), 'flow-stack-'));

/** Returns the folder for a stack's database. */
export const dataDirOf = (dir: string): string => join(dir, 'postgres');

/** Returns the folder for the files in Storage. */
export const storageDirOf = (dir: string): string => join(dir, 'storage');

/** Deletes a stack's database, files and keys. */
export async function removeData(dir: string): Promise<void> {
  await deleteData(dataDirOf(dir));
  await rm(storageDirOf(dir), { recursive: true, force: true });
  await rm(keysFileOf(dir), { force: true });
}

/** Loads the keys that are stored with the data. Without them, nobody can connect to the database. */
export async function loadStackKeys(dir: string, dataDir: string): Promise<StackKeys> {
  const file = keysFileOf(dir);
  if (!existsSync(file) && isInitialised(dataDir)) {
    throw new StackError(
      `${file}, which held the password of the database, is gone. Start with a new database: npm start -- --reset`,
    );
  }
  return await loadKeys(file);
}
