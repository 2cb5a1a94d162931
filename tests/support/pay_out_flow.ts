import type { NodeRetry } from '../../types/flow.ts';
import { FlowBuilder } from './flow_builder.ts';

/** The amount that is paid, in lamports. */
export const PAID = 1_000_000n;

/** Makes a flow in which a wallet of the flow's owner pays an address. The start gives this address. */
export function payOutFlow(wallet: string, retry?: NodeRetry): FlowBuilder {
  const flow = new FlowBuilder();
  const sender = flow.use('wallet', {}, { form: { public_key: wallet }, title: 'wallet' }).output('keypair');
  const pay = flow.use('transfer_sol', { sender, recipient: flow.input('to') }, {
    form: { amount: 0.001 },
    title: 'pay out',
    retry,
  });
  flow.output('signature', pay.output('signature'));
  return flow;
}
