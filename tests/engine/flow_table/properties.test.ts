import { describe, expect, it } from 'vitest';
import { makeSlice, UNLIMITED } from '../../../runner/engine/state/slice.ts';
import {
  claimFlow,
  endOf,
  type ExecuteFlowOptions,
  type JournalEvent,
  type Recorded,
  recordedBy,
  ROOT_RUN_ID,
  stopHalt,
} from '../../support/execute_flow.ts';
import { delayNodes } from '../../support/delayed_nodes.ts';
import { type ShownRun, showRun } from '../../support/flow_text.ts';
import { buildFlow, buildFlows, type FlowRow, onceRegistry, tableRegistry } from './row.ts';
import { rows } from './rows.ts';
import { scriptTransactions } from '../../support/scripted_transactions.ts';
import { fuzzCases } from '../../support/fuzz_cases.ts';

// Rows without a limit of executions. With such a limit, the end of a run depends on the progress of its branches.
const unlimitedRows = rows.filter((row) => row.options?.limits?.nodeExecutions === undefined)
  .map((row) => [row.title, row] as const);

/** The number of random timings for each flow. `random_flows.test.ts` also uses random timings. */
const TIMINGS = fuzzCases(5);

function prepare(row: FlowRow) {
  const [flow, flows] = [buildFlow(row.flow), buildFlows(row.flows)];
  const claim = (options: ExecuteFlowOptions = {}) =>
    claimFlow(flow, row.inputs, {
      registry: tableRegistry,
      flows,
      makeTransactions: scriptTransactions,
      ...row.options,
      ...options,
    });
  const show = ({ result, recorded }: Awaited<ReturnType<typeof claim>>): ShownRun => {
    const shown = showRun(flow, flows, endOf(result), recorded);
    // If the worker dies after it has stored a log line and before the line's node has ended, the next claim writes the
    // line again. So drop repeated lines. The lines are sorted, because their order depends on when the nodes run.
    return { ...shown, logs: [...new Set(shown.logs)].toSorted() };
  };
  return { flow, claim, show };
}

/**
 * True if the first `count` events hold the end of a transaction, but not the ends of the nodes in it. No stored record
 * can end there, because the journal stores the ends of the transaction and of its nodes together.
 */
function isInsideEnd(events: JournalEvent[], count: number): boolean {
  const batch = events[count]?.batch;
  return events.slice(0, count).some((event) => event.batch === batch && event.type === 'transactionEnded');
}

describe('each flow of the table', () => {
  it.each(unlimitedRows)('has the same result whenever its worker dies: %s', async (_, row) => {
    const { claim, show } = prepare(row);
    // If nodes are delayed, only every third moment is tried, because `random_flows.test.ts` and
    // `random_transactions.test.ts` also test delayed nodes.
    for (const [registry, step] of [[tableRegistry, 1], [delayNodes(tableRegistry, 7), 3]] as const) {
      const undisturbed = await claim({ registry });
      const expected = show(undisturbed);
      for (let count = 0; count <= undisturbed.events.length; count += step) {
        const next = undisturbed.events[count];
        // The run's own warnings are stored together with its begin, so no worker can die between them.
        if (next?.type === 'logged' && next.line.node_id === null) continue;
        if (isInsideEnd(undisturbed.events, count)) continue;
        const earlier = recordedBy(undisturbed.events.slice(0, count));
        expect(show(await claim({ registry, earlier })), `${count} events`).toEqual(expected);
      }
    }
  });

  it.each(unlimitedRows)('has the same result when each claim releases it as early as possible: %s', async (_, row) => {
    const { claim, show } = prepare(row);
    const undisturbed = show(await claim());
    for (const registry of [onceRegistry, delayNodes(onceRegistry, 11)]) {
      const slice = makeSlice(UNLIMITED);
      slice.end();
      let earlier: Recorded = recordedBy([]);
      let claims = 1;
      let last = await claim({ slice, registry, earlier });
      while (last.result.status === 'released') {
        expect(last.recorded.nodeRuns.length, 'each claim brings something new').toBeGreaterThan(
          earlier.nodeRuns.length,
        );
        earlier = last.recorded;
        last = await claim({ slice, registry, earlier });
        claims++;
      }
      expect(show(last)).toEqual(undisturbed);
      expect(claims).toBeGreaterThan(row.runs.length > 2 ? 1 : 0);
    }
  });

  it.each(unlimitedRows)('has the same result however long its nodes take: %s', async (_, row) => {
    const { claim, show } = prepare(row);
    const undisturbed = show(await claim());
    for (let seed = 1; seed <= TIMINGS; seed++) {
      expect(show(await claim({ registry: delayNodes(tableRegistry, seed) })), `seed ${seed}`).toEqual(undisturbed);
    }
  });

  it.each(unlimitedRows)('reports each of its nodes when it is stopped at any moment: %s', async (_, row) => {
    const { flow, claim } = prepare(row);
    const undisturbed = await claim();
    const ids = flow.nodes.filter(({ data }) => data.type !== 'mock').map(({ id }) => id);
    for (let count = 0; count <= undisturbed.events.length; count++) {
      const stop = new AbortController();
      stop.abort(stopHalt('enough', 0));
      const earlier = recordedBy(undisturbed.events.slice(0, count));
      const { result: claimed, recorded } = await claim({ earlier, stop: stop.signal });
      const result = endOf(claimed);
      const own = recorded.nodeRuns.filter((run) => run.flow_run_id === ROOT_RUN_ID);
      expect(result.status).toBe('stopped');
      expect(own.filter((run) => run.end_time === null), `${count} events: left open`).toEqual([]);
      expect([...new Set(own.map((run) => run.node_id)), ...result.not_run].toSorted()).toEqual(ids.toSorted());
      expect(result.errors ?? []).toHaveLength(own.filter((run) => run.errors !== null && !run.error_handled).length);
      expect(recorded.nodeRuns.length, 'nothing new begins').toBe(earlier.nodeRuns.length);
    }
  });
});
