import { branchRows } from './branches.ts';
import { conditionRows } from './conditions.ts';
import { effectRows } from './effects.ts';
import { failingCallRows } from './failing_calls.ts';
import { failingLoopRows } from './failing_loops.ts';
import { handledErrorRows } from './handled_errors.ts';
import { handleRows } from './handles.ts';
import { inputRows } from './inputs.ts';
import { interflowRows } from './interflow.ts';
import { limitRows } from './limits.ts';
import { loopRows } from './loops.ts';
import { nestedLoopRows } from './nested_loops.ts';
import { orderRows } from './order.ts';
import type { FlowRow } from './row.ts';
import { transactionRows } from './transactions.ts';
import { zipRows } from './zips.ts';

/** The table of flows. */
export const rows: FlowRow[] = [
  ...orderRows,
  ...inputRows,
  ...handleRows,
  ...branchRows,
  ...conditionRows,
  ...effectRows,
  ...loopRows,
  ...zipRows,
  ...failingLoopRows,
  ...handledErrorRows,
  ...nestedLoopRows,
  ...interflowRows,
  ...failingCallRows,
  ...limitRows,
  ...transactionRows,
];
