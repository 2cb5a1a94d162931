import { expect, it } from 'vitest';
import type { NativeNodes } from '../../runner/engine/node.ts';
import type { StoredTransaction, Transactions } from '../../runner/solana/transaction_order.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  type Recorded,
  ROOT_RUN_ID,
  stopHalt,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { failingRegistry, instructionRegistry as registry, signatureOf } from '../support/scripted_transactions.ts';

const SIGNER = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';

/** A registry of the same nodes. They fail instead of making instructions, because the chain has changed meanwhile. */
const changed = failingRegistry('the account exists already');

const ending = (end: Awaited<ReturnType<Transactions['execute']>>): ExecuteFlowOptions['services'] => ({
  transactions: { execute: () => Promise.resolve(end) },
});

/** Runs a flow until its payment is suspended. The flow has an output before the payment. */
async function suspendedPayment(): Promise<{ flow: FlowBuilder; earlier: Recorded; transaction: StoredTransaction }> {
  const flow = new FlowBuilder(registry);
  const pay = flow.use('test_instruction', {}, { form: { name: 'pay' }, title: 'pay' });
  flow.output('early', flow.toText(pay.output('made')));
  flow.output('signature', pay.output('signature'));
  const { recorded } = await claimFlow(flow, {}, { registry, services: ending({ status: 'waiting' }) });
  const execution = { flow_run_id: ROOT_RUN_ID, node_id: pay.id, times: 0 };
  const transaction: StoredTransaction = {
    ...execution,
    members: [{ ...execution, instruction_count: 1 }],
    message: 'AQID',
    wire: null,
    memo: null,
    has_fees: false,
    slot: '1',
    last_valid_block_height: '1',
    outcome: null,
    signature: null,
    requests: [],
  };
  return { flow, earlier: { ...recorded, transactions: [transaction] }, transaction };
}

const request = (pubkey: string) => ({ id: 1, pubkey, signature: null, new_msg: null, expires_at: '' });

it("a transaction that the action's signer has is not made again, and is continued", async () => {
  const { flow, earlier, transaction } = await suspendedPayment();
  const { status, output, errors } = await executeFlow(flow, {}, {
    registry: changed,
    services: ending({ status: 'confirmed', signature: signatureOf('x'), hasFees: false }),
    earlier: { ...earlier, transactions: [{ ...transaction, requests: [request(SIGNER)] }] },
    actionSigner: SIGNER,
  });
  expect({ status, errors }).toEqual({ status: 'succeeded', errors: null });
  expect(output.M).toEqual({ early: { S: 'made pay' }, signature: { B6: signatureOf('x') } });
});

it('a run that is stopped after the signer of its action has got the transaction says so', async () => {
  const { flow, earlier, transaction } = await suspendedPayment();
  const stop = AbortSignal.abort(stopHalt('enough', 0));
  const requests = [request('Bob'), request(SIGNER)];
  const { errors } = await executeFlow(flow, {}, {
    registry,
    stop,
    earlier: { ...earlier, transactions: [{ ...transaction, requests }] },
    actionSigner: SIGNER,
  });
  expect(errors).toEqual([
    expect.stringMatching(
      new RegExp(`: canceled by user enough; ${SIGNER} has the transaction and may still send it$`),
    ),
  ]);
});

it.each<[string, ExecuteFlowOptions, string]>([
  ['is stopped', { registry, stop: AbortSignal.abort(stopHalt('', 0)) }, 'canceled by user'],
  ['can not make it again', { registry: changed }, 'the account exists already'],
])('a claim that %s keeps the values that a node has passed on before', async (_, options, error) => {
  const { flow, earlier } = await suspendedPayment();
  const { result, recorded } = await claimFlow(flow, {}, { ...options, earlier });
  const { output, errors, not_run } = endOf(result);
  expect(output.M).toEqual({ early: { S: 'made pay' } });
  expect(errors).toEqual([expect.stringMatching(new RegExp(`^pay \\S+: ${error}$`))]);
  expect(not_run, 'the output of the signature').toHaveLength(1);
  expect(recorded.nodeRuns.find((run) => run.errors !== null)?.output).toEqual({ M: { made: { S: 'made pay' } } });
});

it('a called flow that waits for its transaction is released with its caller', async () => {
  const called = new FlowBuilder(registry);
  called.use('test_instruction', {}, { form: { name: 'pay' } });
  const flow = new FlowBuilder(registry);
  flow.interflow(1, {}, []);
  const slice = makeSlice(UNLIMITED);
  // While the called flow waits, other work of the run ends the slice.
  flow.toText(flow.wait(flow.constant({ S: 'x' }), 0));
  const busy: NativeNodes = (nodeId) => {
    const module = registry(nodeId);
    if (nodeId !== 'wait' || module === undefined || 'buildInstructions' in module) return module;
    return {
      ...module,
      run: async () => {
        await slice.breathe('owner');
        slice.end();
        return {};
      },
    };
  };
  const { result, recorded } = await claimFlow(flow, {}, { registry: busy, flows: { 1: called }, slice });
  expect(result).toEqual({ status: 'released' });
  expect(recorded.children).toMatchObject([{ end_time: null }]);
});
