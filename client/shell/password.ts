import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Screen } from './screen.ts';
import { UsageError } from './usage_error.ts';

/** The sources of a password. */
interface PasswordSource {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  signal: AbortSignal;
}

/** Reads a password: FLOWS_PASSWORD, else the first line of stdin, which is not echoed. Throws a UsageError. */
export async function readPassword({ env, stdin, signal }: PasswordSource, screen: Screen): Promise<string> {
  const given = env.FLOWS_PASSWORD;
  if (given) return given;
  if (stdin.isTTY) screen.note('Password:');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  const abort = () => lines.close();
  signal.addEventListener('abort', abort);
  lines.on('SIGINT', abort);
  try {
    for await (const line of lines) if (line !== '') return line;
  } finally {
    signal.removeEventListener('abort', abort);
    lines.close();
  }
  throw new UsageError('The password is missing: type it, pipe it to stdin, or set FLOWS_PASSWORD.');
}
