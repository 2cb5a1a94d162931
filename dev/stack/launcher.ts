import { commandLine, parentOf } from './processes.ts';

const CHECK_INTERVAL_MS = 100;

const isShell = (line: string) => /^\S*sh -c /.test(line);
const isPackageManager = (line: string) => /\b(npm|pnpm|yarn|bun)\b/.test(line);

/**
 * Calls `onGone` once when the `npm start` over this process has ended. A signal that is sent to npm alone ends npm and
 * the shell below it, but never reaches this process. It can only notice the end of its parents; `processes` provides
 * them.
 */
export function watchLauncher(script: string, onGone: () => void, processes = { commandLine, parentOf }): void {
  if (!process.env.npm_lifecycle_script?.includes(script)) return;
  const parent = process.ppid;
  const parentLine = processes.commandLine(parent);
  if (!isShell(parentLine) && !isPackageManager(parentLine)) return onGone();
  // A shell that stays between npm and the program outlives a killed npm, so npm itself is watched.
  const npm = isShell(parentLine) ? processes.parentOf(parent) ?? parent : parent;
  const timer = setInterval(() => {
    // The parent's id changes when the parent ends. Without /proc, looking at any other process starts a program.
    if (process.ppid === parent && (npm === parent || processes.commandLine(npm) !== '')) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
