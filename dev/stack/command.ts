import { spawn, type SpawnOptions } from 'node:child_process';
import { StackError } from './stack_error.ts';

interface CommandOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** The name of the program in errors. */
  name: string;
  /** Ends the process when the signal is aborted. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program to its end and returns what it printed to stdout. A Ctrl-C in the terminal does not reach the program.
 */
export async function runCommand(command: string, args: string[], options: CommandOptions): Promise<string> {
  const { name, signal, ...spawnOptions } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, { ...spawnOptions, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => {
    // Kills the whole process group, because initdb and the Supabase CLI have children.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
    }
  };
  signal?.addEventListener('abort', kill);
  process.once('exit', kill);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => stdout += chunk);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => stderr += chunk);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(new StackError(`${name} could not be started: ${error.message}`)));
      child.once('close', resolve);
    });
    signal?.throwIfAborted();
    if (code !== 0) throw new StackError(`${name} failed:\n${(stderr + stdout).trim()}`);
    return stdout;
  } finally {
    signal?.removeEventListener('abort', kill);
    process.off('exit', kill);
  }
}
