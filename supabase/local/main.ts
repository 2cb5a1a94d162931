import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { DEFAULT_PORT } from './ports.ts';
import { readStatus, resetStack, type StackStatus, startStack } from './stack.ts';
import { StackError } from './stack_error.ts';

const USAGE = `npm start -- [--port N] [--reset]
npm run status -- [--port N] [--json]`;

function parsePort(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_534) {
    throw new StackError(`--port ${text}: not a port number (1 to 65534)`);
  }
  return port;
}

const formatStatus = (status: StackStatus): string =>
  Object.entries(status).map(([name, value]) => `${name.padEnd(17)}${value}`).join('\n');

async function start(port: number, reset: boolean): Promise<void> {
  const began = performance.now();
  if (reset) await resetStack(port);
  const stopRequest = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopRequest.abort());

  const stack = await startStack({
    port,
    signal: stopRequest.signal,
    log: (line) => console.log(line),
    functionEnv: { ALLOW_PRIVATE_NETWORK: '1' },
    onCrash: (description) => {
      console.error(`\n${description}\n\nThe other parts have been stopped.`);
      process.exit(1);
    },
  }).catch((error) => {
    if (stopRequest.signal.aborted) process.exit();
    throw error;
  });
  console.log(formatStatus(stack.status));
  console.log(`\nReady after ${((performance.now() - began) / 1000).toFixed(1)} s. Stop it with Ctrl-C.`);
  if (!stopRequest.signal.aborted) await once(stopRequest.signal, 'abort');
  await stack.stop();
}

function status(port: number, json: boolean): void {
  const found = readStatus(port);
  if (found === undefined) throw new StackError(`No stack is ready on port ${port}; start one with: npm start`);
  console.log(json ? JSON.stringify(found, null, 2) : formatStatus(found));
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, reset: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const port = parsePort(values.port);
  if (positionals[0] === 'start') await start(port, values.reset ?? false);
  else if (positionals[0] === 'status') status(port, values.json ?? false);
  else throw new StackError(USAGE);
} catch (error) {
  const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (error instanceof StackError) console.error(error.message);
  else if (isUsage) console.error(`${(error as Error).message}\n${USAGE}`);
  else console.error(error);
  process.exit(1);
}
process.exit();
