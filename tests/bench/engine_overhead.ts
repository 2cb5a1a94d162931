import type { Journal } from '../../runner/engine/state/journal.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { type Value, valueToText } from '../../types/values/value.ts';
import { claimFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, loopFlow } from '../support/mixed_flows.ts';
import { describedChain, describedDefinitions } from './described_chain.ts';
import { makePart, type Part } from './figure.ts';
import { type Plan, takeRounds } from './plan.ts';
import { time } from './statistics.ts';

const NODES = 1_000;
const ELEMENTS = 10_000;
/** The microseconds that the engine may add to the plain call of a node. */
const NODE_BUDGET_US = 50;
/** The number of times that a measurement repeats the plain calls, because they take only microseconds. */
const REPEATS = 100;
/** The number of runs before the first measurement. After them, V8 has compiled the code. */
const WARM_UPS = 20;

/** A journal that stores nothing, so that only the engine is measured. */
const forgetful: Journal = {
  runBegan: () => {},
  runEnded: () => {},
  nodeBegan: () => {},
  nodeEnded: () => {},
  inputAsked: () => {},
  nodeTakenOver: () => {},
  leftIncomplete: () => {},
  logged: () => {},
  flush: () => Promise.resolve(),
  isFull: () => false,
};

function parallelFlow(width: number): FlowBuilder {
  const flow = new FlowBuilder();
  const input = flow.input('n');
  for (let count = 0; count < width; count++) flow.toText(input);
  return flow;
}

/** Returns the flow as a worker reads it from its snapshot. */
function frozen(flow: FlowBuilder): FlowBuilder {
  const graph = flow.graph();
  flow.graph = () => graph;
  return flow;
}

const textOf = (value: Value): Value => ({ S: valueToText(value) });

function plainChain(): void {
  let value: Value = { D: '7' };
  for (let count = 0; count < NODES; count++) value = textOf(value);
}

const plainParallel = (): Value[] => Array.from({ length: NODES }, () => textOf({ D: '7' }));

const plainLoop = (): Value[] => Array.from({ length: ELEMENTS }, (_, index) => textOf({ D: String(index) }));

/** Measures a flow in the engine, in microseconds per node. The baseline is the same work as plain function calls. */
async function measureFlow(plan: Plan, flow: FlowBuilder, n: number, nodes: number, plain: () => void) {
  const ready = frozen(flow);
  const run = () => claimFlow(ready, { n: { D: String(n) } }, { journal: forgetful });
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await run();
  const perNode = (ms: number) => ms * 1_000 / nodes;
  const repeated = () =>
    time(async () => {
      for (let repeat = 0; repeat < REPEATS; repeat++) plain();
    });
  return await takeRounds(
    plan.rounds,
    async () => perNode(await time(run)),
    async () => perNode(await repeated() / REPEATS),
  );
}

/**
 * Measures a chain of described nodes, whose server answers at once, in microseconds per node. The baseline is the budget
 * of the engine.
 */
async function measureDescribed(plan: Plan) {
  const definitions = describedDefinitions(1);
  const flow = describedChain(NODES, definitions);
  for (const { data } of flow.nodes) if (data.type === 'openapi') Object.assign(data, { definition: 'read' });
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":"7"}') };
  const options = {
    journal: forgetful,
    // SAFETY: a frozen definition has the same members.
    definitions: { read: definitions[0] as unknown as FrozenDefinition },
    services: { http: { request: () => Promise.resolve(response) } },
  };
  const ready = frozen(flow);
  const run = async () => {
    const { result } = await claimFlow(ready, { n: { S: '7' } }, options);
    if (result.status !== 'succeeded') throw new Error(`the run ${result.status}`);
  };
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await run();
  return await takeRounds(
    plan.rounds,
    async () => await time(run) * 1_000 / NODES,
    () => Promise.resolve(NODE_BUDGET_US),
  );
}

/** Measures the time that the engine adds to the work of the nodes, in one process and without a database. */
export async function measureEngineOverhead(plan: Plan): Promise<Part[]> {
  const chain = await measureFlow(plan, chainFlow(NODES), 7, NODES, plainChain);
  const parallel = await measureFlow(plan, parallelFlow(NODES), 7, NODES, plainParallel);
  const loop = await measureFlow(plan, loopFlow(), ELEMENTS, ELEMENTS, plainLoop);
  return [
    makePart({
      name: `${NODES} nodes in a chain: overhead a node against ${NODE_BUDGET_US} µs`,
      unit: 'µs',
      goal: 1,
      rounds: chain.map(({ measured, baseline }) => ({ measured: measured - baseline, baseline: NODE_BUDGET_US })),
    }),
    makePart({
      name: `${NODES} described nodes in a chain: time of a node against ${NODE_BUDGET_US} µs`,
      unit: 'µs',
      rounds: await measureDescribed(plan),
    }),
    makePart({ name: `${NODES} nodes side by side against plain calls`, unit: 'µs', rounds: parallel }),
    makePart({ name: `a loop of ${ELEMENTS} elements against plain calls`, unit: 'µs', rounds: loop }),
  ];
}

/**
 * Measures the greatest growth of the heap while a loop runs, in KiB. The baseline is the size of the loop's elements
 * as JSON.
 */
export async function measureLoopHeap(plan: Plan): Promise<Part> {
  const collectGarbage = globalThis.gc;
  if (collectGarbage === undefined) throw new Error('npm run bench runs node with --expose-gc');
  const flow = frozen(loopFlow());
  const jsonKiB = JSON.stringify(plainLoop()).length / 1024;
  const rounds = [];
  for (let round = 0; round < plan.rounds; round++) {
    collectGarbage();
    const start = process.memoryUsage().heapUsed;
    let ended = 0;
    let most = 0;
    const sampling: Journal = {
      ...forgetful,
      nodeEnded: () => {
        if (++ended % 2_500 !== 0) return;
        collectGarbage();
        most = Math.max(most, process.memoryUsage().heapUsed - start);
      },
    };
    await claimFlow(flow, { n: { D: String(ELEMENTS) } }, { journal: sampling });
    rounds.push({ measured: most / 1024, baseline: jsonKiB });
  }
  return makePart({ name: `live heap of a loop of ${ELEMENTS} elements against them as JSON`, unit: 'KiB', rounds });
}
