import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Screen } from './screen.ts';
import { UsageError } from './usage_error.ts';

/** The places from which a secret is read. */
interface SecretSource {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  signal: AbortSignal;
}

/** A secret that a command needs: its name, and the variable that may have the secret. */
interface WantedSecret {
  name: string;
  variable: 'FLOWS_PASSWORD' | 'FLOWS_SECRET';
}

/** Reads a secret from its variable, or else from the first line of stdin without echoing it. Throws a UsageError. */
async function readLine(
  { env, stdin, signal }: SecretSource,
  screen: Screen,
  { name, variable }: WantedSecret,
): Promise<string> {
  const given = env[variable];
  if (given) return given;
  if (stdin.isTTY) screen.note(`${name}:`);
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
  throw new UsageError(`The ${name.toLowerCase()} is missing: type it, pipe it to stdin, or set ${variable}.`);
}

/** Reads the password of a user. */
export const readPassword = (source: SecretSource, screen: Screen): Promise<string> =>
  readLine(source, screen, { name: 'Password', variable: 'FLOWS_PASSWORD' });

/** Reads the secret of a connection. */
export const readSecret = (source: SecretSource, screen: Screen): Promise<string> =>
  readLine(source, screen, { name: 'Secret', variable: 'FLOWS_SECRET' });

/** Asks a question on stderr, and returns true if the next line of stdin is y or yes. */
export async function confirm({ stdin, signal }: SecretSource, screen: Screen, question: string): Promise<boolean> {
  screen.note(`${question} [y/N]`);
  const lines = createInterface({ input: stdin });
  const abort = () => lines.close();
  signal.addEventListener('abort', abort);
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    signal.removeEventListener('abort', abort);
    lines.close();
  }
}
