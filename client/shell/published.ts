import { runShell } from './run_shell.ts';

await runShell();
