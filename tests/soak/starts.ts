import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, callerKind, callersOf, mayStart } from './callers.ts';
import type { Findings } from './findings.ts';
import { flowKind, type FlowKindName, flowKindNames } from './flow_kinds.ts';
import type { Keypair } from '../support/keypairs.ts';
import type { Random } from './random.ts';
import type { Answer } from './traffic.ts';
import { callFunction, type SoakDeployment, type World } from './world.ts';

/** The lamports that the buyer of a signed run gets: enough for the price and the fees. */
const BUYER_LAMPORTS = 1_000_000_000n;

/** How long a start with a key is repeated while it gets no answer, or a 503 or 429. */
const RETRY_MS = 60_000;

/** The facts that a caller knows about one start and its repetitions. */
export interface StartRecord {
  /** A mark in the run's inputs, so that its runs can be counted. */
  mark: string;
  flowKind: FlowKindName;
  caller: string;
  hasKey: boolean;
  isAllowed: boolean;
  /** The key by which its transfer is found on the chain. */
  party: string | null;
  /** The ids of the runs in its answers, which should all be the same. */
  runIds: string[];
  /** The number of times that the start was sent. */
  sent: number;
  /** True if no answer came, or if the answer does not tell whether a run exists. */
  isUncertain: boolean;
  /** True if its last answer was a refusal. */
  isRefused: boolean;
  /** True if somebody asked its run to stop. */
  isStopAsked: boolean;
}

/** A run that the answer to a start has named. */
export interface StartedRun {
  id: string;
  token: string;
  caller: Caller;
  deployment: SoakDeployment | undefined;
  record: StartRecord;
  signer: Keypair | undefined;
}

/** A start that will be sent. */
export interface StartPlan {
  record: StartRecord;
  caller: Caller;
  kind: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  deployment: SoakDeployment | undefined;
  signer: Keypair | undefined;
  /** Tests whether the start's target may have been deleted meanwhile. */
  mayBeGone: () => boolean;
}

/** Plans starts, sends them, and records their outcomes. */
export interface Starts {
  records: StartRecord[];
  plan: (random: Random, options?: { hasKey?: boolean }) => Promise<StartPlan>;
  /**
   * Sends a start. If it has an idempotency key, repeats it until an answer comes. Returns the run if the answer named
   * one.
   */
  send: (plan: StartPlan, random: Random) => Promise<StartedRun | undefined>;
  /** Returns the run of the newest start whose answer named one. */
  lastRun: () => Pick<StartedRun, 'id' | 'token'> | undefined;
  /** Records an answer to a start that was not sent by `send`. */
  take: (plan: StartPlan, answer: Answer) => StartedRun | undefined;
}

const startable = flowKindNames.reduce(
  (weights, name) => ({ ...weights, [name]: flowKind(name).weight }),
  {} as Record<FlowKindName, number>,
);

export function makeStarts(world: World, findings: Findings, isOver: () => boolean): Starts {
  const records: StartRecord[] = [];
  let last: StartedRun | undefined;
  const callers = callersOf(world);

  /** Chooses the target of a start as a query, and whether it may be deleted before the answer. */
  const targetOf = (deployments: SoakDeployment[], random: Random) => {
    const deployment = random.pick(deployments);
    const flowId = deployment.flow.id;
    const way = random.weighted({ id: 4, latest: 4, tag: 2 });
    if (way === 'id') return { deployment, query: `id=${deployment.id}`, mayBeGone: () => deployment.isGoing };
    // One deployment of each flow is never deleted, so a newest one always exists.
    if (way === 'latest') return { deployment: undefined, query: `flow=${flowId}`, mayBeGone: () => false };
    return { deployment: undefined, query: `flow=${flowId}&tag=stable`, mayBeGone: () => true };
  };

  const newRecord = (
    facts: Pick<StartRecord, 'mark' | 'flowKind' | 'caller' | 'hasKey' | 'isAllowed' | 'party'>,
  ): StartRecord => {
    const record = { ...facts, runIds: [], sent: 0, isUncertain: false, isRefused: false, isStopAsked: false };
    records.push(record);
    return record;
  };

  /** Plans a delivery to a webhook, which starts a run as the owner of its flow. */
  const planDelivery = (random: Random, hasKey: boolean): StartPlan => {
    const { flow, path } = random.pick(world.hooks);
    const mark = random.text();
    return {
      record: newRecord({ mark, flowKind: flow.kind, caller: 'webhook', hasKey, isAllowed: true, party: null }),
      caller: callers.find(({ userId }) => userId === flow.owner.id)!,
      kind: 'webhook',
      path,
      headers: hasKey ? { 'webhook-id': random.text() } : {},
      body: mark,
      deployment: undefined,
      signer: undefined,
      mayBeGone: () => false,
    };
  };

  const plan: Starts['plan'] = async (random, { hasKey = random.chance(0.6) } = {}) => {
    if (random.chance(0.1)) return planDelivery(random, hasKey);
    const name = random.weighted(startable);
    const flow = random.pick(world.flows.filter(({ kind }) => kind === name));
    const isAllowed = random.chance(0.92) || callers.every((caller) => mayStart(caller, flow));
    const caller = random.pick(callers.filter((caller) => mayStart(caller, flow) === isAllowed));
    const { values, party, signer } = flowKind(name).inputs(random);
    if (signer !== undefined) await world.fund(signer.publicKey, BUYER_LAMPORTS);
    const mark = random.text();
    const record = newRecord({
      mark,
      flowKind: name,
      caller: callerKind(caller, flow),
      hasKey,
      isAllowed,
      party: party ?? null,
    });
    const shared = {
      record,
      caller,
      headers: { ...caller.headers, ...(hasKey && { 'idempotency-key': random.text() }) },
      body: { inputs: { ...values, mark: { S: mark } } },
      signer,
    };
    if (caller.userId === flow.owner.id && random.chance(0.15)) {
      const path = `flow/start/${flow.id}`;
      return { ...shared, kind: 'start flow', path, deployment: undefined, mayBeGone: () => false };
    }
    const { query, ...target } = targetOf(flow.deployments.filter(({ isGoing }) => !isGoing), random);
    return { ...shared, kind: 'start', path: `deployment/start?${query}`, ...target };
  };

  const take: Starts['take'] = (plan, answer) => {
    const { record, caller, deployment, signer } = plan;
    record.sent += 1;
    if (answer.status === 429 && record.caller.startsWith('owner')) findings.add('owner_held_back', { ...record });
    record.isRefused = answer.status !== null && answer.status >= 400 && answer.status < 500;
    if (answer.status === 200 || answer.status === 202) {
      const { flow_run_id: id, token } = answer.body;
      if (!record.isAllowed) findings.add('started_without_permission', { ...record, id });
      if (record.runIds.some((former) => former !== id)) findings.add('retry_gave_another_run', { ...record, id });
      record.runIds.push(id);
      // The sender of a webhook gets no run token.
      return token === undefined ? undefined : last = { id, token, caller, deployment, record, signer };
    }
    if (!record.isRefused) record.isUncertain = true;
    else if (answer.code === 'deployment_not_found' && record.isAllowed && !plan.mayBeGone()) {
      findings.add('deployment_lost', { ...record, path: plan.path });
    }
    return undefined;
  };

  const sendOnce = async (plan: StartPlan): Promise<{ answer: Answer; run: StartedRun | undefined }> => {
    const answer = await callFunction(world, plan.kind, plan.path, plan.headers, plan.body);
    return { answer, run: take(plan, answer) };
  };

  const send: Starts['send'] = async (plan, random) => {
    const giveUpAt = Date.now() + RETRY_MS;
    for (;;) {
      const { answer, run } = await sendOnce(plan);
      // Simulate a double click: two requests with one idempotency key are the same start.
      if (plan.record.runIds.length > 0 && plan.record.hasKey && random.chance(0.15)) {
        await Promise.all([1, 2].map(() => sendOnce(plan)));
      }
      const isOpen = answer.status === null || answer.status === 503 || answer.status === 429;
      if (!isOpen || !plan.record.hasKey || Date.now() > giveUpAt || (isOver() && plan.record.sent > 10)) return run;
      await pause(random.between(100, 800));
    }
  };

  return { records, plan, send, take, lastRun: () => last };
}
