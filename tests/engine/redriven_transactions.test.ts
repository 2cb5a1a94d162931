import { expect, it } from 'vitest';
import type { TransactionOrder, Transactions } from '../../runner/solana/transaction_order.ts';
import { claimFlow, endOf, ROOT_RUN_ID } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { instructionRegistry as registry, recordOf, signatureOf } from '../support/scripted_transactions.ts';

const REDRIVEN_ID = '01930000-0000-7000-8000-000000000002';

/**
 * Confirms each transaction. If `hasMoney` is false, Bob's transactions fail. Records which transactions were ordered.
 */
function ledger(hasMoney: boolean): { transactions: Transactions; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    transactions: {
      execute: (order: TransactionOrder) => {
        const { message } = recordOf(order);
        asked.push(message);
        const payer = order.members[0]?.instructions?.feePayer.publicKey;
        return Promise.resolve(
          payer === 'Bob' && !hasMoney
            ? { status: 'failed', errors: order.members.map(() => 'no money'), signature: null }
            : { status: 'confirmed', signature: signatureOf(message), hasFees: order.chargesFees },
        );
      },
    },
  };
}

it.each(['Automatic', 'Off'] as const)(
  'a transaction that was confirmed is not made again (bundling %s)',
  async (bundling) => {
    const flow = new FlowBuilder(registry);
    flow.bundling = bundling;
    const pay = (name: string, payer: string) =>
      flow.use('test_instruction', {}, { form: { name, payer }, title: name });
    const [ann, bob] = [pay('of Ann', 'Ann'), pay('of Bob', 'Bob')];
    const early = flow.toText(bob.output('made'), 'early');
    flow.output('early', early);
    flow.output('ann', ann.output('signature'));
    flow.output('bob', flow.toText(bob.output('signature'), 'late'));

    const poor = ledger(false);
    const failed = await claimFlow(flow, {}, { registry, services: { transactions: poor.transactions } });
    expect(endOf(failed.result)).toMatchObject({ status: 'failed', output: { M: { early: { S: 'made of Bob' } } } });
    expect(poor.asked).toEqual(['of Ann', 'of Bob']);

    const rich = ledger(true);
    const redriven = await claimFlow(flow, {}, {
      registry,
      services: { transactions: rich.transactions },
      runId: REDRIVEN_ID,
      redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed.recorded }],
    });
    expect(endOf(redriven.result)).toMatchObject({
      status: 'succeeded',
      output: { M: { early: { S: 'made of Bob' }, ann: { B6: signatureOf('of Ann') } } },
    });
    expect(rich.asked).toEqual(['of Bob']);
    // Some nodes received the address of a payment before the payment failed. In the redrive they would receive the
    // same address, so they are not executed again.
    const executed = redriven.events.flatMap((event) => event.type === 'nodeEnded' ? [event.run.node_id] : []);
    expect(executed).not.toContain(early.nodeId);
    expect(executed).not.toContain(ann.id);
    expect(executed).toContain(bob.id);
  },
);

it('a transaction that may still be executed when its run ends is stored as unknown, not as failed', async () => {
  const flow = new FlowBuilder(registry);
  flow.use('test_instruction', {}, { form: { name: 'pay' } });
  const transactions: Transactions = {
    execute: ({ members }) =>
      Promise.resolve({
        status: 'failed',
        errors: members.map(() => 'canceled; it was sent'),
        signature: signatureOf('pay'),
        isUnknown: true,
      }),
  };
  const { events } = await claimFlow(flow, {}, { registry, services: { transactions } });
  expect(events.flatMap((event) => event.type === 'transactionEnded' ? [[event.outcome, event.signature]] : []))
    .toEqual([['unknown', signatureOf('pay')]]);
});
