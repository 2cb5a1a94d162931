import type { ValueMap } from '../../types/values/value.ts';
import { paymentFlow } from '../support/actions.ts';
import type { NodeRetry } from '../../types/flow.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { callingFlow, chainFlow, loopFlow, waitFlow } from '../support/mixed_flows.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { payOutFlow } from '../support/pay_out_flow.ts';
import type { Random } from './random.ts';

/** The key-value store of the flows. */
export const STORE = 'soak';

/** The duration of a wait that is longer than any soak. Runs with this wait never end. */
const SLEEP_MS = 24 * 3_600_000;

/** The objects that flows refer to. */
export interface FlowParts {
  /** The owner's flow of kind `chain`. */
  chainFlowId: number;
  /** The public key of a wallet of the owner that has money. */
  wallet: string;
  /** The recipient of signed payments. */
  shop: string;
}

/** The inputs of a start, and its signer. */
interface StartInputs {
  values: ValueMap;
  /** The public key by which the run's transfer is found on the chain: the recipient's or the payer's. */
  party?: string;
  signer?: Keypair;
}

/** The start_permission of a deployment, unless its owner changes it. */
type StartPermission = 'Owner' | 'Authenticated' | 'Anonymous';

interface FlowKind {
  build: (parts: FlowParts, random: Random) => FlowBuilder;
  permission: StartPermission;
  /** The possible outcomes of a run that nobody stopped. The list is empty if the run waits to the end of the soak. */
  ends: readonly ('succeeded' | 'failed')[];
  inputs: (random: Random) => StartInputs;
  onChain?: true;
  /** The relative frequency of starts of this kind. */
  weight: number;
}

function writingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const key = flow.input('key');
  const writing = flow.use('kv_write_item', { key, value: flow.toText(key) }, { form: { store: STORE } });
  flow.output('out', writing.passthrough('value'));
  return flow;
}

function failingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.field('missing', flow.json({})));
  return flow;
}

const RETRY: NodeRetry = { max_attempts: 3, delay_ms: 200, backoff: 2, max_delay_ms: 1_000 };

/** A flow with a request that always fails, because nothing listens on the port of the discard service. */
function vainFlow(method: string): FlowBuilder {
  const flow = new FlowBuilder();
  const request = flow.use('http_request', {}, { form: { url: 'http://127.0.0.1:9/', method }, retry: RETRY });
  flow.output('out', request.output('body'));
  return flow;
}

const text = (value: string) => ({ S: value });
const count = (random: Random, high = 9): StartInputs => ({ values: { n: { U: String(random.between(0, high)) } } });

const flowKinds = {
  text: {
    build: textFlow,
    permission: 'Anonymous',
    ends: ['succeeded'],
    inputs: (random) => ({ values: { value: text(random.text()) } }),
    weight: 8,
  },
  chain: {
    build: (_, random) => chainFlow(random.between(1, 12)),
    permission: 'Authenticated',
    ends: ['succeeded'],
    inputs: count,
    weight: 8,
  },
  loop: { build: loopFlow, permission: 'Anonymous', ends: ['succeeded'], inputs: count, weight: 6 },
  wait: {
    build: (_, random) => waitFlow(random.between(50, 1_500)),
    permission: 'Owner',
    ends: ['succeeded'],
    inputs: count,
    weight: 6,
  },
  call: {
    build: ({ chainFlowId }) => callingFlow(chainFlowId),
    permission: 'Authenticated',
    ends: ['succeeded'],
    inputs: count,
    weight: 5,
  },
  write: {
    build: writingFlow,
    permission: 'Anonymous',
    ends: ['succeeded'],
    inputs: (random) => ({ values: { key: text(`key ${random.between(0, 9)}`) } }),
    weight: 6,
  },
  fail: {
    build: failingFlow,
    permission: 'Anonymous',
    ends: ['failed'],
    inputs: () => ({ values: {} }),
    weight: 3,
  },
  retry: {
    build: (_, random) => vainFlow(random.between(0, 1) === 0 ? 'GET' : 'POST'),
    permission: 'Anonymous',
    ends: ['failed'],
    inputs: () => ({ values: {} }),
    weight: 3,
  },
  ask: {
    // Some of the inputs are answered, some are cancelled, and some are answered around their expiry, or never.
    build: (_, random) => askingFlow({ timeout: random.between(2, 20) }),
    permission: 'Anonymous',
    ends: ['succeeded', 'failed'],
    inputs: () => ({ values: {} }),
    weight: 3,
  },
  sleep: { build: () => waitFlow(SLEEP_MS), permission: 'Owner', ends: [], inputs: count, weight: 1 },
  pay: {
    build: ({ wallet }, random) => payOutFlow(wallet, random.between(0, 1) === 0 ? undefined : RETRY),
    permission: 'Owner',
    // During an outage of the database, a transaction may expire. Then the run fails with this reason, and nothing was
    // paid.
    ends: ['succeeded', 'failed'],
    inputs: () => {
      const party = makeKeypair().publicKey;
      return { values: { to: { B3: party } }, party };
    },
    onChain: true,
    weight: 4,
  },
  sign: {
    build: ({ shop }) => paymentFlow(shop),
    permission: 'Anonymous',
    // Some of these transactions are signed too late, or never.
    ends: ['succeeded', 'failed'],
    inputs: () => {
      const signer = makeKeypair();
      return { values: { buyer: { B3: signer.publicKey } }, party: signer.publicKey, signer };
    },
    onChain: true,
    weight: 3,
  },
} as const satisfies Record<string, FlowKind>;

export type FlowKindName = keyof typeof flowKinds;

export const flowKindNames = Object.keys(flowKinds) as FlowKindName[];

/**
 * Returns a flow kind whose flows have one more input, the mark. They do not use it; the soak counts the runs of a
 * start by it.
 */
export function flowKind(name: FlowKindName): FlowKind {
  const kind: FlowKind = flowKinds[name];
  const build: FlowKind['build'] = (parts, random) => {
    const flow = kind.build(parts, random);
    flow.input('mark');
    return flow;
  };
  return { ...kind, build };
}

/** Returns the columns of a flow that give its deployments this start_permission. */
export const sharingColumns = (permission: StartPermission) => ({
  is_public: permission !== 'Owner',
  start_shared: permission !== 'Owner',
  start_unverified: permission === 'Anonymous',
});
