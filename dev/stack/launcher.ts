import { commandLine, parentOf } from '../../platform/local_stack/processes.ts';

const CHECK_INTERVAL_MS = 100;

const isShell = (line: string) => /^\S*sh -c /.test(line);
const isPackageManager = (line: string) => /\b(npm|pnpm|yarn|bun)\b/.test(line);

/**
 * Calls `onGone` once when the `npm start` that started this process has ended. A signal to npm alone ends npm and the
 * shell below npm, but never reaches this process. So this process watches its parents; `processes` provides their
 * command lines and ids.
 */
export function watchLauncher(script: string, onGone: () => void, processes = { commandLine, parentOf }): void {
  if (!process.env.npm_lifecycle_script?.includes(script)) return;
  const parent = process.ppid;
  const parentLine = processes.commandLine(parent);
  if (!isShell(parentLine) && !isPackageManager(parentLine)) return onGone();
  // The shell between npm and the program outlives a killed npm. This process therefore watches npm itself.
  const npm = isShell(parentLine) ? processes.parentOf(parent) ?? parent : parent;
  const timer = setInterval(() => {
    // The parent's id changes when the parent ends. The id is compared first, because this costs less: without /proc, a
    // program is started to read npm's command line.
    if (process.ppid === parent && (npm === parent || processes.commandLine(npm) !== '')) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
