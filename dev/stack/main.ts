import { once } from 'node:events';
import { parseArgs } from 'node:util';
import {
  parsePort,
  readStack,
  runningPorts,
  stackDir,
  type StackStatus,
} from '../../platform/local_stack/running_stacks.ts';
import { runnerEnvironment } from './functions.ts';
import { watchLauncher } from './launcher.ts';
import { findSilentFunctions } from './silent_functions.ts';
import type { StackOptions } from './stack_options.ts';
import { isUsageError, StackError, usageFault } from './stack_error.ts';
import { chooseRunningPort } from './stack_record.ts';

const USAGE = `npm start -- [--port N] [--reset] [--chain]
npm run status -- [--port N] [--json | --env]`;

const formatStatus = (status: StackStatus): string =>
  Object.entries(status).map(([name, value]) => `${name.padEnd(17)}${value}`).join('\n');

const formatJson = (status: StackStatus): string => JSON.stringify(status, null, 2);

/** Makes a signal that is aborted when the stack is asked to stop, or can't continue. */
function listenForStop(): AbortSignal {
  const request = new AbortController();
  const stop = () => request.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, stop);
  watchLauncher('dev/stack/main.ts', stop);
  // An error of these streams means that the reader has closed the pipe, as in `npm start | head -1`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', stop);
  process.on('uncaughtException', (error) => {
    console.error(error);
    process.exitCode = 1;
    stop();
  });
  return request.signal;
}

async function start(port: number, options: Pick<StackOptions, 'reset' | 'chain'>): Promise<void> {
  const signal = listenForStop();
  try {
    // These modules are loaded only here, because loading them takes longer than running any other command.
    const [{ startStack }, { seedNodes }] = await Promise.all([
      import('./stack.ts'),
      import('../nodes/publish_nodes.ts'),
    ]);
    const stack = await startStack({
      port,
      ...options,
      signal,
      log: (line) => console.log(line),
      onProgress: (line) => console.log(line),
      functionEnv: runnerEnvironment(process.env),
      onCrash: (description) => {
        console.error(`\n${description}\n\nThe other parts have been stopped.`);
        process.exit(1);
      },
    });
    try {
      await seedNodes(stack.status, { log: (line) => console.log(line), signal });
      signal.throwIfAborted();
      stack.buildConsole();
      console.log(`The console, where one signs up and draws flows: ${stack.status.CONSOLE_URL}\n`);
      console.log(formatStatus(stack.status));
      console.log(`\nReady after ${(performance.now() / 1000).toFixed(1)} s. Stop it with Ctrl-C.`);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await stack.stop();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Formats lines for a shell's eval: the status, and as KEY the publishable key, which calls in the README use. */
const formatEnv = (status: StackStatus): string =>
  Object.entries({ ...status, KEY: status.PUBLISHABLE_KEY })
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`).join('\n');

/** Makes the error for a port without a stack: one line with the remedy. */
function noStackOn(port: number): string {
  const others = runningPorts();
  if (others.length === 0) return `No stack runs on port ${port}; start one with: npm start`;
  const on = others.length === 1 ? `One runs on port ${others}` : `They run on ports ${others.join(', ')}`;
  return `No stack runs on port ${port}. ${on}: -- --port ${others[0]}`;
}

async function status(port: number, format: (status: StackStatus) => string): Promise<void> {
  const stack = readStack(stackDir(port));
  if (stack?.status === undefined || stack.state !== 'ready') {
    throw new StackError(stack === undefined ? noStackOn(port) : `The stack on port ${port} is ${stack.state}`);
  }
  console.log(format(stack.status));
  for (const name of await findSilentFunctions(stack.status)) {
    console.error(`The function ${name} does not answer. The output of npm start says why: an edit may not compile.`);
  }
}

/** Tests for an error of the operating system about a file or a port. Its message is clear without a stack trace. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

try {
  const { values, positionals: [command, ...rest] } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      reset: { type: 'boolean' },
      chain: { type: 'boolean' },
      json: { type: 'boolean' },
      env: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  const port = command === 'status'
    ? chooseRunningPort(values.port === undefined ? undefined : parsePort(values.port))
    : parsePort(values.port);
  if (rest.length > 0) throw new StackError(`Unknown arguments: ${rest.join(' ')}\n${USAGE}`);
  if (command === 'start') await start(port, { reset: values.reset ?? false, chain: values.chain ?? false });
  else if (command === 'status') await status(port, values.env ? formatEnv : values.json ? formatJson : formatStatus);
  else throw new StackError(USAGE);
} catch (error) {
  if (error instanceof StackError || isSystemError(error)) console.error(error.message);
  else if (isUsageError(error)) console.error(`${usageFault(error)}\n${USAGE}`);
  else console.error(error);
  process.exit(1);
}
process.exit();
