import { main, type ShellProcess } from './main.ts';

/** Runs `flows` in this process. */
export async function runShell(parts: Pick<ShellProcess, 'findLocalStack' | 'readRelease'>): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  // If a reader such as `head -1` has closed the pipe, the command ends.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  const { stdin, stdout, stderr, env } = process;
  process.exitCode = await main(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    signal: interrupt.signal,
    ...parts,
  });
}
