import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Released } from '../../runner/engine/node.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import type { Transactions, TransactionStore } from '../../runner/solana/transaction_order.ts';
import { delayNodes, makeRandom } from '../support/delayed_nodes.ts';
import {
  claimFlow,
  endOf,
  type ExecuteFlowOptions,
  type JournalEvent,
  type Recorded,
  recordedBy,
} from '../support/execute_flow.ts';
import { FlowBuilder, type FormJson, type Port } from '../support/flow_builder.ts';
import { showRun } from '../support/flow_text.ts';
import { addShape, type MakePort, type Shape, shapeArbitraries } from '../support/random_shape.ts';
import { instructionRegistry as registry, recordOf, scriptTransactions } from '../support/scripted_transactions.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

const instruction = (output: (node: ReturnType<FlowBuilder['use']>) => Port, form: FormJson = {}): MakePort =>
(
  flow,
  a,
  _,
  title,
) =>
  output(
    flow.use('test_instruction', { in: a }, { form: { name: title.replace(' ', '-'), ...form as object }, title }),
  );

/**
 * Functions that make a port from two earlier ones, by instruction nodes of all kinds and by nodes that connect them.
 */
const kinds: MakePort[] = [
  instruction((node) => node.output('signature')),
  instruction((node) => node.output('made')),
  instruction((node) => node.passthrough('in')),
  instruction((node) => node.output('signature'), { payer: 'Bob' }),
  instruction((node) => node.output('made'), { submit: false }),
  instruction((node) => node.output('made'), { name: 'fails' }),
  (flow, a, b, title) =>
    flow.use('test_instruction', { in: a, submit: b }, { form: { name: title }, title }).output('made'),
  (flow, a, _, title) => flow.foreach(a, title),
  (flow, a, _, title) => flow.collect(a, title),
  (flow, a, b, title) => flow.script('if a != () { a } else { b }', { a, b }, 1, title).output('u'),
  (flow, a, b, title) => flow.wait(a, 0, b, title),
  (flow, a, _, title) => flow.interflow(1, { in: a }, ['signature?'], title).output('signature'),
  (flow, a, _, title) => flow.interflow(2, { in: a }, ['made?'], title).output('made'),
];

const shapes = fc.record({
  ...shapeArbitraries(kinds, 10),
  bundling: fc.constantFrom('Off' as const, 'Automatic' as const),
});

/** Makes the flow that other flows call. It pays twice, one payment after the other. */
function makeCalled(bundling: FlowBuilder['bundling'], output: 'signature' | 'made'): FlowBuilder {
  const flow = new FlowBuilder(registry);
  flow.bundling = bundling;
  const first = flow.use('test_instruction', { in: flow.input('in') }, { form: { name: 'called' }, title: 'called' });
  const form = { name: 'again', payer: 'Bob' };
  const again = flow.use('test_instruction', { in: first.output(output) }, { form, title: 'again' });
  flow.output(output, again.output(output));
  return flow.freeze();
}

const flows = { 1: makeCalled('Off', 'signature'), 2: makeCalled('Automatic', 'made') };

function build({ bundling, ...shape }: Shape & Pick<FlowBuilder, 'bundling'>): FlowBuilder {
  const flow = new FlowBuilder(registry);
  flow.bundling = bundling;
  const ports = [flow.json([1, 2]), flow.json('x'), flow.json('bad'), flow.json(true), flow.json(false)];
  return addShape(flow, kinds, ports, shape).freeze();
}

/**
 * Interrupts transactions at random moments: before or after a transaction is stored, with or without its signatures.
 * An interrupted run waits or is released.
 */
const interrupted = (seed: number) => {
  const random = makeRandom(seed);
  return (store: TransactionStore): Transactions => ({
    execute: async (order) => {
      const fate = Math.floor(random() * 6);
      if (fate === 0) return { status: 'waiting' };
      if (fate === 1) throw new Released();
      if (fate <= 3 && order.stored === undefined) {
        await store.store({ ...recordOf(order), ...(fate === 2 && { wire: null }) }, []);
        if (fate === 2) return { status: 'waiting' };
        throw new Released();
      }
      return await scriptTransactions(store).execute(order);
    },
  });
};

/** Claims the run until it has ended. */
async function claimOnAndOn(
  claim: (earlier: Recorded | undefined) => ReturnType<typeof claimFlow>,
  earlier?: Recorded,
) {
  let last = await claim(earlier);
  for (let count = 0; !('output' in last.result); count++) {
    if (count > 1_000) throw new Error('the run does not end');
    last = await claim(last.recorded);
  }
  return last;
}

/** Rejects after a minute if a run is never woken. Without this, the test would wait for its own time limit. */
const notStalled = <T>(end: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<T>((_, reject) => timer = setTimeout(() => reject(new Error('the run stalls')), 60_000));
  return Promise.race([end, stalled]).finally(() => clearTimeout(timer));
};

/**
 * Returns the events before `at`. If `at` is inside a batch, omits the events of this batch, because a batch is stored
 * as a whole.
 */
const cutAt = (events: JournalEvent[], at: number): JournalEvent[] => {
  const batch = events[at]?.batch;
  return events.filter((event, index) => index < at && event.batch !== batch);
};

it('a flow makes the same transactions and has the same result, however it is timed and interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, fc.nat(), async (shape, seed) => {
      const flow = build(shape);
      const claim = (options: ExecuteFlowOptions = {}) =>
        notStalled(claimFlow(flow, {}, { flows, registry, makeTransactions: scriptTransactions, ...options }));
      const show = ({ result, recorded }: Awaited<ReturnType<typeof claim>>) => ({
        ...showRun(flow, flows, endOf(result), recorded),
        logs: [],
        transactions: recorded.transactions.map(({ message, has_fees, outcome }) => [message, has_fees, outcome]),
      });
      const first = await claim();
      const expected = show(first);
      const fees = first.recorded.transactions.filter(({ has_fees, outcome }) => has_fees && outcome === 'confirmed');
      expect(fees.length, 'fees').toBe(
        first.recorded.transactions.some(({ outcome }) => outcome === 'confirmed') ? 1 : 0,
      );
      const slow = delayNodes(registry, seed);
      expect(show(await claim({ registry: slow })), 'slow nodes').toEqual(expected);

      const cut = recordedBy(cutAt(first.events, seed % (first.events.length + 1)));
      expect(show(await claim({ registry: slow, earlier: cut })), 'a lost worker').toEqual(expected);

      const slice = makeSlice(UNLIMITED);
      slice.end();
      const short = await claimOnAndOn((earlier) => claim({ slice, registry: slow, earlier }));
      expect(show(short), 'short claims').toEqual(expected);

      const makeTransactions = interrupted(seed);
      const broken = await claimOnAndOn((earlier) => claim({ registry: slow, makeTransactions, earlier }));
      expect(show(broken), 'interrupted transactions').toEqual(expected);
    }),
    { numRuns: fuzzCases(30) },
  );
});
