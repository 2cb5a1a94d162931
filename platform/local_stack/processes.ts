import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/cmdline');

const ps = (...args: string[]): string => spawnSync('ps', ['-ww', ...args], { encoding: 'utf8' }).stdout ?? '';

/** Returns the command line of a process; empty if the process has ended or is a zombie. */
export function commandLine(pid: number): string {
  if (!hasProc) return ps('-o', 'args=', '-p', String(pid)).trim();
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/** Returns the parent of a process; undefined if the process has ended. */
export function parentOf(pid: number): number | undefined {
  if (!hasProc) return Number(ps('-o', 'ppid=', '-p', String(pid))) || undefined;
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the ids of all processes whose command lines match. */
export function findProcesses(isWanted: (commandLine: string) => boolean): number[] {
  if (hasProc) {
    return readdirSync('/proc').map(Number).filter((pid) =>
      pid > 0 && pid !== process.pid && isWanted(commandLine(pid))
    );
  }
  return ps('-axo', 'pid=,args=').split('\n').flatMap((line) => {
    const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return pid !== undefined && Number(pid) !== process.pid && isWanted(args ?? '') ? [Number(pid)] : [];
  });
}
