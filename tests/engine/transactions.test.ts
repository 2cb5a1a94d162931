import { expect, it } from 'vitest';
import { type Halt, haltError, Released } from '../../runner/engine/node.ts';
import type { TransactionOrder, Transactions } from '../../runner/solana/transaction_order.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  recordedBy,
  ROOT_RUN_ID,
  stopHalt,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { showRun } from '../support/flow_text.ts';
import {
  failingRegistry,
  instructionRegistry as registry,
  scriptTransactions,
  signatureOf,
} from '../support/scripted_transactions.ts';

const newFlow = (bundling: FlowBuilder['bundling'] = 'Automatic'): FlowBuilder => {
  const flow = new FlowBuilder(registry);
  flow.bundling = bundling;
  return flow;
};

const make = (flow: FlowBuilder, name: string, edges: Parameters<FlowBuilder['use']>[1] = {}, form: object = {}) =>
  flow.use('test_instruction', edges, { form: { name, ...form }, title: name });

/** Makes a flow with a payment, a node that waits for the payment, and a node that does not wait for it. */
function paidFlow(): FlowBuilder {
  const flow = newFlow();
  const pay = make(flow, 'pay', { in: flow.input('in', 'x') });
  flow.output('early', flow.toText(pay.output('made'), 'early text'));
  flow.output('late', flow.toText(pay.output('signature'), 'late text'));
  return flow;
}

const always = (end: Awaited<ReturnType<Transactions['execute']>>): ExecuteFlowOptions => ({
  registry,
  services: { transactions: { execute: () => Promise.resolve(end) } },
});

it('a run whose transaction waits for a signature is suspended, and continues from there', async () => {
  const flow = paidFlow();
  const { result, recorded } = await claimFlow(flow, {}, always({ status: 'waiting' }));
  expect(result).toEqual({ status: 'waiting' });
  const pay = recorded.nodeRuns.find((run) => run.end_time === null);
  expect(pay).toMatchObject({ output: { M: { in: { S: 'x' }, made: { S: 'made pay' } } }, errors: null });
  expect(recorded.nodeRuns).toHaveLength(4);

  const again = await claimFlow(flow, {}, { ...always({ status: 'waiting' }), earlier: recorded });
  expect(again.result, 'nothing has come').toEqual({ status: 'waiting' });
  expect(again.recorded.nodeRuns).toHaveLength(4);

  const paid = await executeFlow(flow, {}, { registry, makeTransactions: scriptTransactions, earlier: again.recorded });
  expect(paid.status).toBe('succeeded');
  expect(Object.keys(paid.output.M)).toEqual(['early', 'late']);
});

it('a transaction that an earlier claim stored is continued before others, with its instructions as they were', async () => {
  const flow = newFlow('Off');
  make(flow, 'first');
  make(flow, 'second');
  const orders: TransactionOrder[] = [];
  const stored = {
    flow_run_id: '01930000-0000-7000-8000-000000000001',
    node_id: flow.nodes[1]!.id,
    times: 0,
  };
  const recording: Transactions = {
    execute: (order) => {
      orders.push(order);
      return Promise.resolve({ status: 'confirmed', signature: signatureOf('x'), hasFees: order.stored === undefined });
    },
  };
  const { recorded } = await claimFlow(flow, {}, always({ status: 'waiting' }));
  const transaction = {
    ...stored,
    members: [{ ...stored, instruction_count: 1 }],
    message: 'second',
    wire: null,
    memo: null,
    has_fees: true,
    slot: '1',
    last_valid_block_height: '2',
    outcome: null,
    signature: null,
    requests: [],
  };
  const earlier = { ...recorded, transactions: [transaction] };
  await executeFlow(flow, {}, { registry, services: { transactions: recording }, earlier });
  expect(
    orders.map(({ stored: known, members }) => [known?.message, members.map(({ execution }) => execution.node_id)]),
  )
    .toEqual([['second', [flow.nodes[1]!.id]], [undefined, [flow.nodes[0]!.id]]]);

  // A transaction with all signatures keeps its instructions. The transaction may have been executed and may have
  // changed the data from which its instructions were made, so they are not made again.
  orders.length = 0;
  const unmade = failingRegistry('made again', 'second');
  const signed = { ...earlier, transactions: [{ ...transaction, wire: 'AQ==' }] };
  const ended = await executeFlow(flow, {}, {
    registry: unmade,
    services: { transactions: recording },
    earlier: signed,
  });
  expect(ended.errors).toBeNull();
  expect(orders.map(({ members }) => members[0]?.instructions === undefined)).toEqual([true, false]);
});

it('an unsigned transaction fails if one of its members makes no instructions any more', async () => {
  const flow = newFlow();
  make(flow, 'first');
  make(flow, 'second');
  const { recorded } = await claimFlow(flow, {}, { registry, makeTransactions: scriptTransactions });
  const begun = recorded.nodeRuns.map((run) => ({ ...run, end_time: null, errors: null }));
  const transactions = recorded.transactions.map((stored) => ({
    ...stored,
    wire: null,
    outcome: null,
    signature: null,
  }));
  const failing = failingRegistry('not again', 'second');
  const { errors } = await executeFlow(flow, {}, {
    registry: failing,
    makeTransactions: scriptTransactions,
    earlier: { ...recorded, nodeRuns: begun, transactions },
  });
  expect(errors?.map((line) => line.replace(/ \S+:/, ':'))).toEqual([
    'first: some node failed to provide instructions',
    'second: not again',
  ]);
});

it('a run that outputs its transaction ends there: its members have not ended, and later nodes have not run', async () => {
  const flow = paidFlow();
  make(flow, 'other');
  const { recorded, result } = await claimFlow(flow, {}, {
    ...always({ status: 'put_out', transaction: 'AbCd' }),
    isBundled: true,
  });
  const ended = endOf(result);
  expect(ended).toMatchObject({
    status: 'succeeded',
    errors: null,
    output: { M: { early: { S: 'made pay' }, transaction: { S: 'AbCd' } } },
  });
  expect(showRun(flow, {}, ended, recorded)).toMatchObject({
    notRun: ['late text', 'late'],
    runs: [
      'in#0 → in="x"',
      'pay#0 in="x" name="pay" → in="x" made="made pay" ✗ not ended',
      'early text#0 stringify="made pay" → result="made pay"',
      'early#0 early="made pay" → early="made pay"',
      'other#0 name="other" → made="made other" ✗ not ended',
    ],
  });
});

it('an output of the flow keeps its name, and comes before the transaction that is output', async () => {
  const flow = paidFlow();
  flow.output('transaction', flow.constant({ S: 'mine' }));
  const { output } = await executeFlow(flow, {}, {
    ...always({ status: 'put_out', transaction: 'AbCd' }),
    isBundled: true,
  });
  expect(output.M.transaction).toEqual({ S: 'mine' });
});

it("the transaction that is output may be a called flow's; every run of the tree ends with it", async () => {
  const flow = newFlow('Off');
  flow.output('out', flow.interflow(1, {}, ['late'], 'call').output('late'));
  const { output, nodeRuns, children, not_run } = await executeFlow(flow, {}, {
    ...always({ status: 'put_out', transaction: 'AbCd' }),
    isBundled: true,
    flows: { 1: paidFlow() },
  });
  expect(output.M).toEqual({ transaction: { S: 'AbCd' } });
  expect(children).toMatchObject([{ status: 'succeeded', output: { M: { early: { S: 'made pay' } } } }]);
  expect(nodeRuns.filter((run) => run.end_time === null)).toHaveLength(2);
  expect(not_run).toEqual([flow.nodes[1]!.id]);
});

it("a transaction that can't be output fails its nodes", async () => {
  const { status, output, errors } = await executeFlow(paidFlow(), {}, {
    ...always({ status: 'failed', errors: ['it is too large'], signature: null }),
    isBundled: true,
  });
  expect([status, Object.keys(output.M)]).toEqual(['failed', ['early']]);
  expect(errors).toEqual([expect.stringMatching(/^pay \S+: it is too large$/)]);
});

it('a flow that is called for its instructions sends no transaction, and later nodes do not run', async () => {
  const flow = newFlow('Off');
  const call = flow.node('interflow_instructions', {
    inputs: ['in'],
    outputs: ['fee_payer', 'signers', 'instructions'],
    form: { id: 1 },
    title: 'call',
  });
  flow.connect(flow.input('in', 'y'), call.input('in'));
  flow.output('signers', flow.toText(call.output('signers'), 'text'));
  const called = newFlow('Off');
  const key = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
  const pay = make(called, 'pay', { in: called.input('in', 'x') }, { payer: key });
  make(called, 'note', {}, { payer: key });
  called.output('late', called.toText(pay.output('signature'), 'late text'));
  const run = async (options: ExecuteFlowOptions = {}) =>
    await claimFlow(flow, {}, { registry, flows: { 1: called }, ...options });
  const { result, recorded, events } = await run();
  expect(endOf(result)).toMatchObject({ status: 'succeeded', errors: null });
  const output = recorded.nodeRuns.find((run) => run.flow_run_id === ROOT_RUN_ID && run.node_id === call.id)?.output?.M;
  expect(output).toMatchObject({
    fee_payer: { B3: key },
    signers: { A: [{ M: { public_key: { B3: key } } }] },
    instructions: {
      A: [{ M: { program_id: { B3: 'pay' }, accounts: { A: [] } } }, { M: { program_id: { B3: 'note' } } }],
    },
  });
  expect(recorded.children).toMatchObject([{ status: 'succeeded', not_run: [expect.any(String), expect.any(String)] }]);

  // A worker may die at any time without losing the collected instructions.
  for (let count = 0; count <= events.length; count++) {
    const batch = events[count]?.batch;
    if (events[count - 1]?.batch === batch && events[count - 1]?.type === 'runEnded') continue;
    const again = await run({ earlier: recordedBy(events.slice(0, count)) });
    expect(endOf(again.result), `${count} events`).toEqual(endOf(result));
  }
});

it.each([
  [
    'makes none',
    (called: FlowBuilder) => void called.output('out', called.constant({ S: 'x' })),
    'without making instructions',
  ],
  ['has two fee payers', (called: FlowBuilder) => {
    make(called, 'a');
    make(called, 'b', {}, { payer: 'Bob' });
  }, 'fee payer'],
  ['calls a flow that makes some', (called: FlowBuilder) => void called.interflow(2, {}, ['late']), 'may not call'],
])('a flow that is called for its instructions, and %s, fails its caller', async (_, build, message) => {
  const flow = newFlow();
  const called = newFlow();
  build(called);
  flow.node('interflow_instructions', { outputs: ['fee_payer', 'signers', 'instructions'], form: { id: 1 } });
  const { errors } = await executeFlow(flow, {}, { registry, flows: { 1: called, 2: paidFlow() } });
  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toContain(message);
});

it('a stop during a transaction waits for its outcome, and sends no other transaction', async () => {
  const flow = newFlow('Off');
  make(flow, 'sent');
  make(flow, 'unsent');
  const stop = new AbortController();
  const transactions: Transactions = {
    execute: (order) =>
      new Promise((resolve) => {
        order.signal.addEventListener('abort', () => {
          const error = `${haltError(order.signal).message}; it was sent`;
          setTimeout(() => resolve({ status: 'failed', errors: [error], signature: signatureOf('sent') }), 1);
        });
        stop.abort(stopHalt('enough', 0));
      }),
  };
  const { result, recorded } = await claimFlow(flow, {}, { registry, services: { transactions }, stop: stop.signal });
  expect(showRun(flow, {}, endOf(result), recorded)).toMatchObject({
    status: 'stopped',
    errors: ['sent: canceled by user enough; it was sent', 'unsent: canceled by user enough'],
  });
});

it('a run that is stopped after its transaction was signed says so', async () => {
  const flow = paidFlow();
  const { recorded, events } = await claimFlow(flow, {}, { registry, makeTransactions: scriptTransactions });
  expect(recorded.transactions).toHaveLength(1);
  const stored = events.findIndex((event) => event.type === 'transactionStored');
  const stop = new AbortController();
  stop.abort(stopHalt('', 0) satisfies Halt);
  const { errors } = await executeFlow(flow, {}, {
    registry,
    makeTransactions: scriptTransactions,
    stop: stop.signal,
    earlier: recordedBy(events.slice(0, stored + 1)),
  });
  expect(errors).toEqual([
    expect.stringContaining(
      `canceled by user; transaction ${signatureOf('pay')} was signed before, and may be executed`,
    ),
  ]);
});

it('a released transaction releases its run; an error while storing one is reported', async () => {
  const flow = paidFlow();
  const failWith = (error: Error): ExecuteFlowOptions => {
    const execute = async () => {
      throw error;
    };
    return { registry, services: { transactions: { execute } } };
  };
  const { result, recorded } = await claimFlow(flow, {}, failWith(new Released()));
  expect(result).toEqual({ status: 'released' });
  expect(recorded.nodeRuns.filter((run) => run.end_time === null)).toHaveLength(1);
  await expect(claimFlow(flow, {}, failWith(new Error('claim_lost')))).rejects.toThrow('claim_lost');
});
