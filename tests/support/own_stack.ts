import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { deleteData } from '../../dev/stack/postgres/cluster.ts';
import { projectFunctionsDir } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { type Stack, startStack } from '../../dev/stack/stack.ts';
import type { StackOptions } from '../../dev/stack/stack_options.ts';
import { dataDirOf } from '../../dev/stack/stack_dir.ts';
import { copyStack, VOLATILE } from './blank_stack.ts';

/** A stack for one test file, which may break it: its own folder, port and Edge Functions. */
export interface OwnStack {
  port: number;
  dir: string;
  /** Boots the stack on the data of the previous boot. */
  boot: (options?: Partial<StackOptions>) => Promise<Stack>;
  /** Writes the function `hello`, or another one. */
  writeFunction: (source: string, name?: string) => Promise<void>;
  /** Returns the stack's log since the last boot. */
  logged: () => string[];
  /** Returns the description of a crash since the last boot; undefined without a crash. */
  crash: () => string | undefined;
  /** Serves these functions of the project. Each one costs half a second of a processor. */
  serve: (...names: string[]) => Promise<void>;
  stop: () => Promise<void>;
  remove: () => Promise<void>;
}

/**
 * Makes a stack whose data is a copy of the migrated stack `blank`, by default of the blank stack of the test run. If
 * `blank` is null, the first boot makes the data. Copies are deleted only at the end of the test run: after a deletion,
 * ext4 without a journal needs ten times as long to make files.
 */
export async function makeOwnStack(name: string, blank: string | null = inject('blankStack')): Promise<OwnStack> {
  const port = await findFreePort(24_000 + (process.pid % 700) * 4);
  const own = `${name}-${process.pid}`;
  const dir = blank === null ? join(projectDir, '.stack', `test-${own}`) : `${blank}${own}`;
  const functionsDir = await mkdtemp(join(tmpdir(), 'flow-functions-'));
  if (blank !== null) await copyStack(blank, dir);
  let stack: Stack | undefined;
  let logged: string[] = [];
  let crash: string | undefined;
  const stop = async () => await stack?.stop();
  const writeFunction = async (source: string, name = 'hello') => {
    await mkdir(join(functionsDir, name), { recursive: true });
    await writeFile(join(functionsDir, name, 'index.ts'), source);
  };
  return {
    port,
    dir,
    async boot(options) {
      logged = [];
      crash = undefined;
      return stack = await startStack({
        port,
        dir,
        functionsDir,
        postgresSettings: VOLATILE,
        // Tests sign up many users, so Auth has no limits.
        authRates: null,
        log: (line) => logged.push(line),
        onCrash: (description) => crash = description,
        ...options,
      });
    },
    writeFunction,
    async serve(...names) {
      for (const name of names) {
        const source = pathToFileURL(join(projectFunctionsDir, name, 'index.ts'));
        await writeFunction(`export { default } from '${source}';`, name);
      }
    },
    logged: () => logged,
    crash: () => crash,
    stop,
    async remove() {
      await stop();
      // At the end of the test run, the data of copies is found by their folders and deleted. If the folder is gone or
      // is no copy, delete the data now.
      if (blank === null || !existsSync(dir)) {
        await deleteData(dataDirOf(dir));
        await rm(dir, { recursive: true, force: true });
      }
      await rm(functionsDir, { recursive: true, force: true });
    },
  };
}
