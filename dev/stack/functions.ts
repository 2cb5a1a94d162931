import { existsSync, readdirSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { settingVariables } from '../../runner/settings.ts';
import { findNpmBinary } from './npm_binary.ts';
import { type Part, startPart } from './parts/part.ts';
import { projectDir } from './paths.ts';
import { StackError } from './stack_error.ts';

/** The folder of the project's Edge Functions. */
export const projectFunctionsDir = join(projectDir, 'functions');

/** Returns the file with which an Edge Function begins: the source, or the bundle that `flows install` has written. */
const entrypointOf = (functionsDir: string, name: string): string | undefined =>
  ['index.ts', 'index.js'].map((file) => join(functionsDir, name, file)).find(existsSync);

/** Lists the names of the Edge Functions in a folder. */
export const functionNames = (functionsDir = projectFunctionsDir): string[] =>
  readdirSync(functionsDir).filter((name) => entrypointOf(functionsDir, name) !== undefined).sort();

/** The Deno binary of the npm package; `DENO_BIN` in the environment overrides it. */
export const denoBinary = (): string =>
  findNpmBinary({
    name: 'Deno',
    variable: 'DENO_BIN',
    expects: 'a Deno 2 binary',
    packageName: `@deno/${platform()}-${arch()}${platform() === 'linux' ? '-glibc' : ''}`,
    path: 'deno',
  });

/**
 * The variables of the shell that a function inherits: those that Deno needs to run and to reach the network, and none
 * of the shell's secrets.
 */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LC_\w+|XDG_\w+|LD_LIBRARY_PATH|DENO_(DIR|CERT|TLS_CA_STORE)|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(https?|all|no)_proxy)$/i;

/**
 * The variables that docs/reference/environment.md lists for the functions: the settings and switches of the runner,
 * the public addresses, and `HELIUS_API_KEY`. `WALLET_KEYS` is not among them, because each stack has its own.
 */
const RUNNER_VARIABLES = new Set([
  ...settingVariables.map(({ variable }) => variable),
  'RUNNER_DISABLED',
  'ALLOW_PRIVATE_NETWORK',
  'STORAGE_SHARED_BUCKETS',
  'STORAGE_URL',
  'HELIUS_API_KEY',
  'ACTION_URL',
  'FLOW_URL',
  'INFO_URL',
  'MCP_URL',
]);

/** Returns the runner's variables of an environment. A stack passes these variables of its shell to its functions. */
export const runnerEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] =>
      entry[1] !== undefined && RUNNER_VARIABLES.has(entry[0])
    ),
  );

interface FunctionOptions {
  name: string;
  functionsDir: string;
  socketPath: string;
  env: Record<string, string>;
  /** True to serve changed sources without a restart. */
  watch: boolean;
  onLine: (line: string) => void;
}

/** Serves one Edge Function with `deno serve` on a Unix socket. The function listens when `waitUntilReady` resolves. */
export function startFunction(options: FunctionOptions): Part {
  const entrypoint = entrypointOf(options.functionsDir, options.name);
  if (entrypoint === undefined) throw new StackError(`${options.functionsDir} has no function ${options.name}`);
  return startPart({
    name: `function ${options.name}`,
    command: denoBinary(),
    args: [
      'serve',
      ...(options.watch ? ['--watch', '--no-clear-screen'] : []),
      '--allow-env',
      '--allow-net',
      '--allow-read',
      // The thread for scripts needs this permission. A hosted function has neither the thread nor the permission.
      '--allow-sys=setPriority',
      `--allow-write=${options.socketPath}`,
      `--config=${join(projectDir, 'deno.json')}`,
      entrypoint,
    ],
    cwd: projectDir,
    inherits: INHERITED,
    env: { ...options.env, DENO_SERVE_ADDRESS: `unix:${options.socketPath}`, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    // With --watch, SIGTERM would only restart the function.
    stopSignal: 'SIGINT',
    readyText: 'deno serve: Listening',
    // If the function fails, Deno's watcher stays alive and waits for an edit. If the function fails right after an
    // edit, the next edit may mend it. After any other failure the stack kills the process, because there may be no
    // edit.
    restartText: 'Watcher Restarting!',
    failurePattern: /^Watcher Process (failed|finished(?: with exit code \d+)?)\./,
    // Deno announces a future change of `request.signal`. The change does not matter here: the functions use the signal
    // only to learn that the caller has disconnected.
    noisePattern: /^(Watcher (Process started|Waiting for graceful termination)|Deno\.serve: request\.signal aborts)/,
    onLine: options.onLine,
  });
}
