import { describe, expect, it } from 'vitest';
import { executeFlow } from '../../support/execute_flow.ts';
import { showRun } from '../../support/flow_text.ts';
import { rows } from './rows.ts';
import { scriptTransactions } from '../../support/scripted_transactions.ts';
import { buildFlow, buildFlows, tableRegistry } from './row.ts';

describe('the table of flows', () => {
  it.each(rows.map((row) => [row.title, row] as const))('%s', async (_, row) => {
    const [flow, flows] = [buildFlow(row.flow), buildFlows(row.flows)];
    const { nodeRuns, children, inputs, logs, transactions, ...result } = await executeFlow(flow, row.inputs, {
      registry: tableRegistry,
      flows,
      makeTransactions: scriptTransactions,
      ...row.options,
    });
    expect(showRun(flow, flows, result, { nodeRuns, children, inputs, logs, transactions })).toEqual({
      status: row.errors === undefined ? 'succeeded' : 'failed',
      output: row.output,
      errors: row.errors ?? [],
      notRun: row.notRun ?? [],
      runs: row.runs,
      logs: row.logs ?? [],
    });
  });
});
