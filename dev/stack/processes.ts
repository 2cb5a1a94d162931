import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/cmdline');

const ps = (...args: string[]): string => spawnSync('ps', ['-ww', ...args], { encoding: 'utf8' }).stdout ?? '';

/** The command line of a process; empty when the process is gone or a zombie. */
export function commandLine(pid: number): string {
  if (!hasProc) return ps('-o', 'args=', '-p', String(pid)).trim();
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/** The parent of a process, or undefined when the process is gone. */
export function parentOf(pid: number): number | undefined {
  if (!hasProc) return Number(ps('-o', 'ppid=', '-p', String(pid))) || undefined;
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined;
  }
}

/** The ids of all processes whose command line `isWanted`. */
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
