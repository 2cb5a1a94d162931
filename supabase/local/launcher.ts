import { commandLine, parentOf } from './processes.ts';

const CHECK_INTERVAL_MS = 100;

const isShell = (line: string) => /^\S*sh -c /.test(line);
const isPackageManager = (line: string) => /\b(npm|pnpm|yarn|bun)\b/.test(line);

/**
 * Calls `onGone` once when the `npm start` over this process is gone. A signal that is sent to npm alone ends npm and the
 * shell between, and never reaches the program below: its parents' end is all that it can notice.
 */
export function watchLauncher(script: string, onGone: () => void): void {
  if (!process.env.npm_lifecycle_script?.includes(script)) return;
  const parent = process.ppid;
  const parentLine = commandLine(parent);
  if (!isShell(parentLine) && !isPackageManager(parentLine)) return onGone();
  // A shell that does not replace itself by the program outlives a killed npm.
  const npm = isShell(parentLine) ? parentOf(parent) ?? parent : parent;
  const timer = setInterval(() => {
    // A parent that is gone is no parent any more; to look at another process costs a process of its own where there is no /proc.
    if (process.ppid === parent && (npm === parent || commandLine(npm) !== '')) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
