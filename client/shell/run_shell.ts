import type { FindLocalStack } from './environment.ts';
import { main } from './main.ts';

/** Runs `flows` as this process. */
export async function runShell(findLocalStack?: FindLocalStack): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  // Whoever reads has closed the pipe, as `head -1` does: nobody wants the rest.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  const { stdin, stdout, stderr, env } = process;
  process.exitCode = await main(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    signal: interrupt.signal,
    ...(findLocalStack && { findLocalStack }),
  });
}
