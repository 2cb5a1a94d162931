import { describe, expect, it } from 'vitest';
import { makeClaimJournal } from '../../runner/queue/claim/claim_journal.ts';
import type { Claim, Claims, Progress } from '../../runner/queue/claim/claims.ts';
import { runLimits } from '../../runner/engine/limits/run_limits.ts';
import { readRunnerSettings } from '../../runner/settings.ts';
import { claimFlow, executeFlow, ROOT_RUN_ID } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

describe('large flows', () => {
  it('a branch of ten thousand nodes that is not taken ends like a short one, whatever the order of its nodes is', async () => {
    for (const isReversed of [false, true]) {
      const flow = new FlowBuilder();
      let port = flow.script('let v = 1', {}, 2, 'none').output('u');
      for (let count = 0; count < 10_000; count++) port = flow.use('print', { print: port }).passthrough('print');
      flow.output('out', flow.toText(port, 'after'));
      if (isReversed) flow.nodes.reverse();
      const { status, output, not_run } = await executeFlow(flow);
      expect({ status, output }).toEqual({ status: 'succeeded', output: { M: {} } });
      expect(not_run).toHaveLength(10_002);
    }
  });

  it('a loop over ten thousand elements runs for each, in order', async () => {
    const flow = new FlowBuilder();
    const texts = flow.toText(flow.foreach(flow.range(flow.constant({ D: '10000' }))));
    flow.output('out', flow.collect(texts));
    const { output } = await executeFlow(flow);
    expect(output).toEqual({ M: { out: { A: Array.from({ length: 10_000 }, (_, index) => ({ S: String(index) })) } } });
  });
});

describe('limits', () => {
  it('a run keeps its first hundred error lines, in the order of the nodes and of their iterations', async () => {
    const flow = new FlowBuilder();
    const elements = flow.foreach(flow.range(flow.constant({ D: '150' })));
    const failing = flow.use('wallet', {}, { title: 'first' });
    const each = flow.field('x', flow.toText(elements), 'each');
    const { errors, nodeRuns } = await executeFlow(flow);
    expect(nodeRuns.filter((run) => run.errors !== null)).toHaveLength(151);
    expect(errors).toHaveLength(100);
    expect(errors?.[0]).toContain(`first ${failing.id}: `);
    expect(errors?.slice(1).every((line, times) => line.startsWith(`each ${each.nodeId}#${times}: `))).toBe(true);
  });

  it('executions of ended called flows count in later claims, too', async () => {
    const called = new FlowBuilder();
    called.output('out', called.toText(called.toText(called.constant({ S: 'x' }))));
    const flow = new FlowBuilder();
    const first = flow.interflow(1, {}, ['out'], 'first').output('out');
    flow.output('out', flow.toText(flow.toText(first)));
    const flows = { 1: called };
    const whole = await executeFlow(flow, {}, { flows });
    expect(whole.status).toBe('succeeded');
    const child = new Set(whole.children.map(({ id }) => id));
    const afterCall = { ...whole, nodeRuns: whole.nodeRuns.filter((run) => child.has(run.flow_run_id)) };

    const count = whole.nodeRuns.length;
    const enough = await executeFlow(flow, {}, { flows, earlier: afterCall, limits: { nodeExecutions: count } });
    expect(enough.status).toBe('succeeded');
    const { errors } = await executeFlow(flow, {}, {
      flows,
      earlier: afterCall,
      limits: { nodeExecutions: count - 1 },
    });
    expect(errors?.[0]).toMatch(/^node_executions_limit: /);
  });

  it('calls of flows may be nested as deep as the limit, and no deeper', async () => {
    const flow = new FlowBuilder();
    flow.interflow(1, {}, [], 'call');
    const { children, errors } = await executeFlow(flow, {}, { flows: { 1: flow } });
    expect(children).toHaveLength(runLimits.interflowDepth);
    expect(errors?.[0]).toMatch(/recursive depth reached: calls of flows may be nested \d+ deep$/);
  });

  it('the limit of open nodes counts the nodes of all flows that are executed at the same time, but not of ended ones', async () => {
    const flow = new FlowBuilder();
    flow.interflow(1, {}, [], 'call');
    for (let count = 1; count < 10; count++) flow.node('note');
    const limits = { openNodes: 55 };
    const deep = await executeFlow(flow, {}, { flows: { 1: flow }, limits });
    expect(deep.children).toHaveLength(4);
    expect(deep.errors?.[0]).toMatch(
      /open_nodes_limit: the flows that are executed at the same time would have more than 55 nodes$/,
    );

    const called = new FlowBuilder();
    for (let count = 0; count < 10; count++) called.node('note');
    called.output('out', called.constant({ S: 'x' }));
    const list = new FlowBuilder();
    let port = list.constant({ S: 'x' });
    for (let count = 0; count < 10; count++) port = list.interflow(1, { in: port }, ['out'], 'call').output('out');
    list.output('out', port);
    expect(await executeFlow(list, {}, { flows: { 1: called }, limits: { openNodes: 30 } })).toMatchObject({
      status: 'succeeded',
      output: { M: { out: { S: 'x' } } },
    });
  });

  it('a run keeps ten thousand log lines, the last of which says so, and continues', async () => {
    const flow = new FlowBuilder();
    flow.script('for i in 0..10100 { print(i) }', {}, 1, 'loud');
    flow.output('out', flow.constant({ S: 'done' }));
    const stored: Progress[] = [];
    // SAFETY: this test's journal calls only `checkpoint`, and reads only these two members of a claim.
    const claims = { checkpoint: async (_, progress) => void stored.push(progress) } as Partial<Claims> as Claims;
    const claim = { flow_run_id: ROOT_RUN_ID, work_ms: 0 } as Partial<Claim> as Claim;
    const nothing = { node_runs: [], children: [], transactions: [], ended_executions: 0, log_counts: {} };
    const journal = makeClaimJournal({
      claims,
      claim,
      history: nothing,
      settings: readRunnerSettings(() => undefined, false),
      now: Date.now,
      workMs: () => 0,
      outputBytes: () => 0,
    });
    const { result } = await claimFlow(flow, {}, { journal });
    journal.close();
    const lines = [...stored, await journal.takeRest()].flatMap(({ logs }) => logs);
    expect(result).toMatchObject({ status: 'succeeded', output: { M: { out: { S: 'done' } } } });
    expect(lines.map((line) => line.log_index)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index),
    );
    expect(lines.at(-2)?.content).toBe('9998');
    expect(lines.at(-1)).toMatchObject({
      log_level: 'Warn',
      content: expect.stringMatching(/^log_lines_limit: .* 10000 /),
    });
  });
});
