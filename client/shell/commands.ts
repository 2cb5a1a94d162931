import type { Command } from './command.ts';
import { connections } from './commands/connections.ts';
import { deploy } from './commands/deploy.ts';
import { inputs } from './commands/inputs.ts';
import { install } from './commands/install.ts';
import { list } from './commands/list.ts';
import { login } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { nodes } from './nodes/nodes.ts';
import { output } from './commands/output.ts';
import { pull } from './commands/pull.ts';
import { push } from './commands/push.ts';
import { read } from './commands/read.ts';
import { redrive } from './commands/redrive.ts';
import { rows } from './commands/rows.ts';
import { runNode } from './commands/run_node.ts';
import { runs } from './commands/runs.ts';
import { schedule, scheduleDelete, schedulePause, scheduleResume, schedules } from './commands/schedule.ts';
import { start } from './commands/start.ts';
import { stop } from './commands/stop.ts';
import { submit } from './commands/submit.ts';
import { tag, tool } from './commands/tag.ts';
import { types } from './commands/types.ts';
import { webhook, webhookDelete } from './commands/webhook.ts';
import { webhooks } from './commands/webhooks.ts';

/** The commands of `flows`, in the order of its help. */
export const commands: readonly Command[] = [
  login,
  list,
  pull,
  push,
  deploy,
  start,
  output,
  read,
  runs,
  logs,
  stop,
  redrive,
  runNode,
  inputs,
  submit,
  schedules,
  schedule,
  schedulePause,
  scheduleResume,
  scheduleDelete,
  webhooks,
  webhook,
  webhookDelete,
  rows,
  connections,
  nodes,
  tag,
  tool,
  types,
  install,
];
