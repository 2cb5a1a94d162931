import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { type Part, startPart } from './part.ts';
import { projectDir } from './paths.ts';
import { StackError } from './stack_error.ts';

const functionsDir = join(projectDir, 'functions');

/** The names of the project's Edge Functions: the folders of functions/ that have an index.ts. */
export const functionNames = (): string[] =>
  readdirSync(functionsDir).filter((name) => existsSync(join(functionsDir, name, 'index.ts'))).sort();

/** The Deno binary of the npm package; `DENO_BIN` in the environment overrides it. */
export function denoBinary(): string {
  if (process.env.DENO_BIN !== undefined) return process.env.DENO_BIN;
  const require = createRequire(import.meta.url);
  const target = `${platform()}-${arch()}${platform() === 'linux' ? '-glibc' : ''}`;
  try {
    return join(dirname(require.resolve(`@deno/${target}/package.json`)), 'deno');
  } catch {
    throw new StackError(
      `There is no Deno for ${target}: the npm package @deno/${target} is not installed. ` +
        'Set DENO_BIN to a Deno 2 binary, or run npm install again.',
    );
  }
}

export interface FunctionOptions {
  name: string;
  socketPath: string;
  env: Record<string, string>;
  /** Serve changed sources without a restart. */
  watch: boolean;
  onLine: (line: string) => void;
}

/** Serves one Edge Function with `deno serve` on a Unix socket; it listens when `waitUntilReady` resolves. */
export function startFunction(options: FunctionOptions): Part {
  return startPart({
    name: `function ${options.name}`,
    command: denoBinary(),
    args: [
      'serve',
      ...(options.watch ? ['--watch', '--no-clear-screen'] : []),
      '--allow-env',
      '--allow-net',
      '--allow-read',
      `--allow-write=${options.socketPath}`,
      `--config=${join(projectDir, 'deno.json')}`,
      join(functionsDir, options.name, 'index.ts'),
    ],
    cwd: projectDir,
    env: { ...options.env, DENO_SERVE_ADDRESS: `unix:${options.socketPath}`, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    // Under --watch, SIGTERM only restarts.
    stopSignal: 'SIGINT',
    readyText: 'deno serve: Listening',
    onLine: options.onLine,
  });
}
