import { expect, it } from 'vitest';
import type { TransactionStore } from '../../runner/solana/transaction_order.ts';
import type { NodeRetry } from '../../types/flow.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  type Recorded,
  recordedBy,
  stopHalt,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { instructionRegistry as registry, recordOf, signatureOf } from '../support/scripted_transactions.ts';

const RETRY: NodeRetry = { max_attempts: 3, delay_ms: 0, backoff: 1, max_delay_ms: 0 };
const EXPIRED = 'transaction x has expired, nothing was transferred';

interface Chain {
  /** The messages of all sent transactions; a message that was sent twice is here twice. */
  sent: string[];
  options: ExecuteFlowOptions;
}

/**
 * Makes a chain on which this many transactions expire. With `before`, the chain refuses a transaction before it is
 * made.
 */
function flakyChain(failures: number, { before = false, passes = true } = {}): Chain {
  const chain: Chain = { sent: [], options: { registry } };
  let failed = 0;
  chain.options.now = Date.now;
  chain.options.makeTransactions = (store: TransactionStore) => ({
    execute: async (order) => {
      const transience = passes ? {} : undefined;
      const errors = order.members.map(() => EXPIRED);
      if (before && failed++ < failures) return { status: 'failed', errors, signature: null, transience };
      const record = order.stored ?? recordOf(order);
      if (order.stored === undefined) await store.store(record, []);
      chain.sent.push(record.message);
      const signature = signatureOf(`${record.message} ${chain.sent.length}`);
      if (!before && failed++ < failures) return { status: 'failed', errors, signature, transience };
      return { status: 'confirmed', signature, hasFees: false };
    },
  });
  return chain;
}

/** Makes two nodes that share a transaction, with nodes before and after it. */
function twoPayments(first?: NodeRetry, second?: NodeRetry): FlowBuilder {
  const flow = new FlowBuilder(registry);
  flow.bundling = 'Automatic';
  const a = flow.use('test_instruction', {}, { form: { name: 'a' }, title: 'a', retry: first });
  const b = flow.use('test_instruction', {}, { form: { name: 'b' }, title: 'b', retry: second });
  flow.output('made', flow.toText(a.output('made')));
  flow.output('a', a.output('signature'));
  flow.output('b', b.output('signature'));
  return flow;
}

const attemptsOf = ({ nodeRuns }: Recorded, flow: FlowBuilder) =>
  ['a', 'b'].map((title) => {
    const id = flow.nodes.find(({ data }) => data.display_name === title)?.id;
    return nodeRuns.find(({ node_id }) => node_id === id)?.attempt;
  });

it.each([['made', false], ['could not be made', true]])(
  'a transaction that %s without success is made again if each of its nodes may be retried',
  async (_, before) => {
    const flow = twoPayments(RETRY, RETRY);
    const chain = flakyChain(2, { before });
    const ended = await executeFlow(flow, {}, chain.options);
    expect(ended).toMatchObject({ status: 'succeeded', errors: null, output: { M: { made: { S: 'made a' } } } });
    expect(chain.sent).toEqual(before ? ['a b'] : ['a b', 'a b', 'a b']);
    expect(attemptsOf(ended, flow)).toEqual([3, 3]);
    expect(ended.logs.map(({ content }) => content)).toEqual(
      Array.from(
        { length: 4 },
        (_, line) => expect.stringMatching(new RegExp(`^attempt ${line < 2 ? 1 : 2} of 3 failed, .*${EXPIRED}$`)),
      ),
    );
    // A node may send outputs to other nodes before its transaction. The second transaction did not send these outputs
    // again.
    expect(ended.nodeRuns).toHaveLength(6);
  },
);

it.each<[string, FlowBuilder, Chain, number]>([
  ['one of its nodes is to be tried once', twoPayments(RETRY), flakyChain(1), 1],
  ['it may have been executed', twoPayments(RETRY, RETRY), flakyChain(1, { passes: false }), 1],
  ['the attempts of one node are used up', twoPayments(RETRY, { ...RETRY, max_attempts: 2 }), flakyChain(9), 2],
])('a transaction is not made anew when %s', async (_, flow, chain, sent) => {
  const ended = await executeFlow(flow, {}, chain.options);
  expect(ended.status).toBe('failed');
  expect(chain.sent).toHaveLength(sent);
  expect(ended.errors).toEqual(
    ['a', 'b'].map((name) => expect.stringMatching(new RegExp(`^${name} \\S+: ${EXPIRED}$`))),
  );
  expect(ended.output.M, 'what was handed on before').toEqual({ made: { S: 'made a' } });
});

it('whenever its worker dies, one transaction is confirmed, and no node exceeds its attempts', async () => {
  const flow = twoPayments(RETRY, RETRY);
  const { events, result } = await claimFlow(flow, {}, flakyChain(2).options);
  const undisturbed = endOf(result);
  for (let count = 0; count <= events.length; count++) {
    // One batch stores the end of a transaction with the ends of the node executions in it. A worker can't die inside
    // this batch, so the test skips the counts of events that end there.
    const batch = events[count]?.batch;
    if (events.slice(0, count).some((event) => event.batch === batch && event.type === 'transactionEnded')) continue;
    const earlier = recordedBy(events.slice(0, count));
    const failed = new Set(
      events.slice(0, count).flatMap((event, index) => event.type === 'transactionEnded' ? [index] : []),
    );
    const chain = flakyChain(Math.max(2 - failed.size, 0));
    const ended = await executeFlow(flow, {}, { ...chain.options, earlier });
    expect(ended.status, `${count} events`).toBe(undisturbed.status);
    expect(attemptsOf(ended, flow)).toEqual([3, 3]);
    expect(ended.transactions).toMatchObject([{ outcome: 'confirmed' }]);
    expect(ended.output.M).toMatchObject({ made: { S: 'made a' } });
  }
});

it('a run that is stopped before the next transaction sends none, and keeps outputs that were passed on', async () => {
  const slow = { ...RETRY, delay_ms: 60_000, max_delay_ms: 60_000 };
  const chain = flakyChain(9);
  const stop = new AbortController();
  const { result, recorded } = await claimFlow(twoPayments(slow, slow), {}, {
    ...chain.options,
    stop: stop.signal,
    services: {
      rest: (wait) => {
        stop.abort(stopHalt('enough', 60_000));
        return wait();
      },
    },
  });
  expect(endOf(result)).toMatchObject({
    status: 'stopped',
    output: { M: { made: { S: 'made a' } } },
    errors: ['a', 'b'].map((name) => expect.stringMatching(new RegExp(`^${name} \\S+: canceled by user enough$`))),
  });
  expect(chain.sent).toHaveLength(1);
  expect(recorded.transactions).toMatchObject([{ outcome: 'failed' }]);
});
