import type { Command } from './command.ts';
import { deploy } from './commands/deploy.ts';
import { logs } from './commands/logs.ts';
import { output } from './commands/output.ts';
import { read } from './commands/read.ts';
import { redrive } from './commands/redrive.ts';
import { runs } from './commands/runs.ts';
import { start } from './commands/start.ts';
import { stop } from './commands/stop.ts';
import { tag } from './commands/tag.ts';
import { types } from './commands/types.ts';

/** The commands of `flows`, in the order of its help. */
export const commands: readonly Command[] = [deploy, start, output, read, runs, logs, stop, redrive, tag, types];
