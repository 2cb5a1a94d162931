import type { Journal } from '../../functions/runner/engine/journal.ts';
import { type Value, valueToText } from '../../types/value.ts';
import { claimFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, loopFlow } from '../support/mixed_flows.ts';
import { type Figure, makeFigure, ROUNDS, time } from './figure.ts';

const NODES = 1_000;
const ELEMENTS = 10_000;
/** The plain calls take microseconds: so many times over they can be measured. */
const REPEATS = 100;
/** Until the compiler has settled. */
const WARM_UPS = 20;

/** Nothing is kept: what is measured is the engine. */
const forgetful: Journal = {
  runBegan: () => {},
  runEnded: () => {},
  nodeBegan: () => {},
  nodeEnded: () => {},
  logged: () => {},
  transactionEnded: () => {},
  flush: () => Promise.resolve(),
  isFull: () => false,
};

function parallelFlow(width: number): FlowBuilder {
  const flow = new FlowBuilder();
  const input = flow.input('n');
  for (let count = 0; count < width; count++) flow.toText(input);
  return flow;
}

/** The flow as a worker has it: read out of its snapshot once. */
function frozen(flow: FlowBuilder): FlowBuilder {
  const graph = flow.graph();
  flow.graph = () => graph;
  return flow;
}

const execute = (flow: FlowBuilder, n: number) => claimFlow(flow, { n: { D: String(n) } }, { journal: forgetful });

/** A flow in the engine against its work as plain function calls. */
async function measureOverhead(
  id: string,
  name: string,
  run: () => Promise<unknown>,
  plain: () => void,
): Promise<Figure> {
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await run();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const repeated = await time(async () => {
      for (let repeat = 0; repeat < REPEATS; repeat++) plain();
    });
    rounds.push({ measuredMs: await time(run), baselineMs: repeated / REPEATS });
  }
  return makeFigure(id, name, rounds);
}

const textOf = (value: Value): Value => ({ S: valueToText(value) });

function plainChain(): void {
  let value: Value = { D: '7' };
  for (let count = 0; count < NODES; count++) value = textOf(value);
}

function plainParallel(): Value[] {
  const value: Value = { D: '7' };
  return Array.from({ length: NODES }, () => textOf(value));
}

const plainLoop = (): Value[] => Array.from({ length: ELEMENTS }, (_, index) => textOf({ D: String(index) }));

/** The heap's growth at its greatest while a loop runs, in KiB, against its elements as JSON. */
async function measureMemory(): Promise<Figure> {
  const collectGarbage = globalThis.gc;
  if (collectGarbage === undefined) throw new Error('npm run bench runs node with --expose-gc');
  const flow = frozen(loopFlow());
  const jsonKiB = JSON.stringify(plainLoop()).length / 1024;
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
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
    rounds.push({ measuredMs: most / 1024, baselineMs: jsonKiB });
  }
  return makeFigure('memory', `a loop of ${ELEMENTS} elements: live heap in KiB (not ms) against them as JSON`, rounds);
}

/** What the engine adds to the work of the nodes, in one process and without a database. */
export async function measureEngine(): Promise<Figure[]> {
  const [chain, parallel, loop] = [chainFlow(NODES), parallelFlow(NODES), loopFlow()].map(frozen) as [
    FlowBuilder,
    FlowBuilder,
    FlowBuilder,
  ];
  return [
    await measureOverhead(
      'chain',
      `${NODES} nodes in a chain against plain calls`,
      () => execute(chain, 7),
      plainChain,
    ),
    await measureOverhead(
      'parallel',
      `${NODES} nodes side by side against plain calls`,
      () => execute(parallel, 7),
      plainParallel,
    ),
    await measureOverhead(
      'loop',
      `a loop of ${ELEMENTS} elements against plain calls`,
      () => execute(loop, ELEMENTS),
      plainLoop,
    ),
    await measureMemory(),
  ];
}
