import { findLocalStack } from './find_local_stack.ts';
import { runShell } from './run_shell.ts';

await runShell({
  findLocalStack,
  // esbuild is only loaded when it is needed.
  readRelease: async () => (await import('../build/release.ts')).buildRelease(),
});
