import { connect } from '../../dev/stack/postgres/postgres.ts';
import type { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { describedChain, describedDefinitions } from './described_chain.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { makeHttpClient } from './http_client.ts';
import { type Plan, takeRounds } from './plan.ts';
import { median, time } from './statistics.ts';

const GOAL = 5;
/** The numbers of nodes of the deployed flows. The largest flow has a goal. */
const SIZES = [10, 100, 1_000];
/** The number of deploys in a round. The round's result is their median. */
const REPEATS = 10;
const CONCURRENT = 200;
/** The definitions of the described nodes. */
const DEFINITIONS = 50;

/** Returns the median time of some repetitions, in milliseconds. */
async function medianTime(work: () => Promise<unknown>, prepare: () => Promise<unknown>): Promise<number> {
  const times = [];
  for (let count = 0; count < REPEATS; count++) {
    await prepare();
    times.push(await time(work));
  }
  return median(times);
}

/**
 * Measures deploys of a flow; the baseline is one insert of the flow's graph. The flow changes before each deploy, so
 * that each deploy stores a new snapshot.
 */
async function measureFlow(bench: BenchStack, plan: Plan, flow: FlowBuilder) {
  const { owner, sql, stack } = bench;
  const flowId = await bench.storeFlow(flow);
  const claims = JSON.stringify({ sub: owner.id, role: 'authenticated', aud: 'authenticated' });
  const asOwner = connect(stack.superuserUrl, {
    connection: { role: 'authenticated', 'request.jwt.claims': claims } as never,
  });
  let version = 0;
  const change = () =>
    sql`update public.flows set environment = ${sql.json({ VERSION: String(++version) })} where id = ${flowId}`;
  try {
    return await takeRounds(
      plan.rounds,
      () => medianTime(() => asOwner`select public.deploy_flow(${flowId})`, change),
      () => medianTime(() => sql`insert into bench.documents (data) values (${sql.json(flow.row() as never)})`, change),
    );
  } finally {
    await asOwner.end();
  }
}

async function measureSize(bench: BenchStack, plan: Plan, nodes: number): Promise<Part> {
  const rounds = await measureFlow(bench, plan, chainFlow(nodes - 2));
  const goal = nodes === SIZES.at(-1) ? { goal: GOAL } : {};
  return makePart({ name: `${nodes} nodes against inserting the same JSON`, unit: 'ms', rounds, ...goal });
}

/** Measures deploys of a flow of described nodes. */
async function measureDescribed(bench: BenchStack, plan: Plan): Promise<Part> {
  const nodes = SIZES.at(-1)!;
  const definitions = describedDefinitions(DEFINITIONS);
  for (const { type, data, sources, targets } of definitions) {
    await bench.sql`
      insert into public.nodes (user_id, type, data, sources, targets)
      values (${bench.owner.id}, ${type}, ${bench.sql.json(data as never)}, ${bench.sql.json(sources as never)},
        ${bench.sql.json(targets as never)})`;
  }
  const rounds = await measureFlow(bench, plan, describedChain(nodes - 2, definitions));
  const name = `${nodes} described nodes of ${DEFINITIONS} definitions against inserting the same JSON`;
  return makePart({ name, unit: 'ms', rounds });
}

/** Measures concurrent deploys of one flow over HTTP. The baseline is the same number of deploys, one after another. */
async function measureConcurrent(bench: BenchStack, plan: Plan): Promise<Part> {
  const { owner, status, sql } = bench;
  const count = Math.max(CONCURRENT / plan.shrink, 10);
  const client = makeHttpClient(count);
  const flowId = await bench.storeFlow(chainFlow(8));
  const url = `${status.FUNCTIONS_URL}/flow/deploy/${flowId}`;
  const deploy = () => client.send({ url, method: 'POST', headers: { authorization: `Bearer ${owner.token}` } });
  const oneByOne = async () => {
    for (let done = 0; done < count; done++) await deploy();
  };
  const rounds: Round[] = [];
  try {
    await deploy();
    for (let round = 0; round < plan.rounds; round++) {
      const baseline = await time(oneByOne);
      const measured = await time(() => Promise.all(Array.from({ length: count }, deploy)));
      rounds.push({ measured, baseline });
      const [latest] = await sql`
        select t.deployment_id = (select max(d.id::text)::uuid from public.flow_deployments as d where d.entrypoint = ${flowId}) as is_newest
        from public.flow_deployments_tags as t where t.entrypoint = ${flowId} and t.tag = 'latest'`;
      if (!latest?.is_newest) throw new Error('latest is not the newest deployment');
    }
  } finally {
    client.close();
  }
  return makePart({
    name: `${count} at once of one flow, over HTTP, against one after another`,
    unit: 'ms',
    rounds,
  });
}

/** Measures deploys of flows of several sizes, and concurrent deploys of one flow. */
export const measureDeploys = (plan: Plan): Promise<Part[]> =>
  withBenchStack('deploys', async (bench) => {
    const parts: Part[] = [];
    for (const nodes of SIZES) parts.push(await measureSize(bench, plan, nodes));
    return [...parts, await measureDescribed(bench, plan), await measureConcurrent(bench, plan)];
  }, withFunctions);
