import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { deleteData } from '../../supabase/local/cluster.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import { findFreePort } from '../../supabase/local/ports.ts';
import { type Stack, type StackOptions, startStack } from '../../supabase/local/stack.ts';
import { copyStack, VOLATILE } from './blank_stack.ts';

/** A stack that a test file may break: its own folder, port and Edge Functions. */
export interface OwnStack {
  port: number;
  dir: string;
  /** Boots it on the data of the former boot. */
  boot: (options?: Partial<StackOptions>) => Promise<Stack>;
  /** Writes the function `hello`, or another one. */
  writeFunction: (source: string, name?: string) => Promise<void>;
  /** What it has logged since the last boot. */
  logged: () => string[];
  /** The part that has crashed since the last boot. */
  crash: () => string | undefined;
  stop: () => Promise<void>;
  remove: () => Promise<void>;
}

/** Its data is a copy of the migrated stack `blank`, the one of the test run unless given; where it is null, the first boot makes it. */
export async function makeOwnStack(name: string, blank: string | null = inject('blankStack')): Promise<OwnStack> {
  const port = await findFreePort(24_000 + (process.pid % 700) * 4);
  const dir = join(projectDir, '.stack', `test-${name}-${process.pid}`);
  const functionsDir = await mkdtemp(join(tmpdir(), 'flow-functions-'));
  if (blank !== null) await copyStack(blank, dir);
  let stack: Stack | undefined;
  let logged: string[] = [];
  let crash: string | undefined;
  const stop = async () => await stack?.stop();
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
        log: (line) => logged.push(line),
        onCrash: (description) => crash = description,
        ...options,
      });
    },
    async writeFunction(source, name = 'hello') {
      await mkdir(join(functionsDir, name), { recursive: true });
      await writeFile(join(functionsDir, name, 'index.ts'), source);
    },
    logged: () => logged,
    crash: () => crash,
    stop,
    async remove() {
      await stop();
      await deleteData(join(dir, 'postgres'));
      await rm(dir, { recursive: true, force: true });
      await rm(functionsDir, { recursive: true, force: true });
    },
  };
}
