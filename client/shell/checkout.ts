import { findLocalStack } from './find_local_stack.ts';
import { runShell } from './run_shell.ts';

await runShell(findLocalStack);
