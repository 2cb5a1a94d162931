import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Reader } from './reading.ts';

/** A node of a query plan in the form of `explain (format json)`. */
interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Parent Relationship'?: string;
  Plans?: PlanNode[];
}

const ONE_RUN = /^Limit\(Index Scan on flow_run_(pkey|deployment_id_idx)\(\)\)$/;

const statement = (deploymentId: string) =>
  `select * from public.flow_run where deployment_id = '${deploymentId}' order by id desc limit 50`;

async function explain(sql: Sql, deploymentId: string, { role, claims, headers }: Reader): Promise<PlanNode> {
  return await sql.begin(async (tx) => {
    if (role !== null) {
      await tx`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${
        JSON.stringify(claims)
      }, true), set_config('request.headers', ${JSON.stringify(headers)}, true)`;
      await tx`select private.pre_request()`;
    }
    const [row] = await tx.unsafe(`explain (format json) ${statement(deploymentId)}`);
    return row!['QUERY PLAN'][0].Plan;
  });
}

/** Returns a plan's nodes without its init plans. */
const shape = (node: PlanNode): string => {
  const inner = (node.Plans ?? []).filter((plan) => plan['Parent Relationship'] !== 'InitPlan').map(shape);
  return `${node['Node Type']}${node['Index Name'] === undefined ? '' : ` on ${node['Index Name']}`}(${
    inner.join(', ')
  })`;
};

const initPlans = (node: PlanNode): number =>
  (node.Plans ?? []).reduce(
    (count, plan) => count + initPlans(plan) + (plan['Parent Relationship'] === 'InitPlan' ? 1 : 0),
    0,
  );

/**
 * Throws unless each reader of the whole list has the same plan as the superuser. A reader's plan must also compute the
 * caller's data, once and before the rest. The plan of a reader who may see only one run must find the run by its id.
 */
export async function assertSamePlan(sql: Sql, deploymentId: string, readers: Reader[]): Promise<void> {
  const plans = await Promise.all(
    readers.map(async (reader) => ({ reader, plan: await explain(sql, deploymentId, reader) })),
  );
  const expected = shape(plans.find(({ reader }) => reader.role === null)!.plan);
  for (const { reader, plan } of plans) {
    const isExpected = reader.rows === 1 ? ONE_RUN.test(shape(plan)) : shape(plan) === expected;
    if (!isExpected) throw new Error(`${reader.name} reads by ${shape(plan)}, the superuser by ${expected}`);
    if (reader.role !== null && initPlans(plan) === 0) throw new Error(`${reader.name} reads without an InitPlan`);
  }
}
