import { mkdir } from 'node:fs/promises';
import { platform } from 'node:os';
import { litesvmLibrary } from '../../chain/part.ts';
import { denoBinary } from '../functions.ts';
import { preparePostgres } from '../postgres/postgres_home.ts';
import { postgrestBinary } from '../postgrest.ts';
import { dataDirOf } from '../stack_dir.ts';
import { StackError } from '../stack_error.ts';

/**
 * Reports a missing program before anything is made, and makes the stack's folder. Returns the folder of the database.
 *
 * @throws {StackError} If the machine can't run a stack.
 */
export async function meetRequirements(dir: string, hasChain: boolean): Promise<string> {
  if (platform() === 'win32') {
    throw new StackError('The local stack runs on Linux and macOS; on Windows, run it in WSL.');
  }
  denoBinary();
  postgrestBinary();
  if (hasChain) litesvmLibrary();
  await mkdir(dir, { recursive: true }).catch((error) => {
    throw new StackError(`The stack keeps its database and keys in ${dir}, which can't be made: ${error.message}`);
  });
  return (await preparePostgres()).dataDir(dataDirOf(dir));
}
