import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRelease } from './install/release.ts';
import { runShell } from './run_shell.ts';

await runShell({ readRelease: async () => readRelease(dirname(fileURLToPath(import.meta.url))) });
