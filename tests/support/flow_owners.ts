import { randomUUID } from 'node:crypto';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';

/** A user with a flow. */
export interface FlowOwner {
  id: string;
  flowId: number;
}

/** Adds this many owners. They are in the order of their ids, which is the order of claims. */
export async function addFlowOwners(sql: Sql, count: number): Promise<FlowOwner[]> {
  const owners: FlowOwner[] = [];
  for (const id of Array.from({ length: count }, () => randomUUID()).sort()) {
    await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
    const [flow] = await sql<[{ id: number }]>`insert into public.flows (user_id) values (${id}) returning id`;
    owners.push({ id, flowId: flow.id });
  }
  return owners;
}

/** Queues runs of an owner's flow, and returns their ids in order. From then on, the connection acts as the owner. */
export async function startRunsOf(sql: Sql, { id, flowId }: FlowOwner, count: number): Promise<string[]> {
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id, role: 'authenticated' })}, false)`;
  const started = await sql<{ id: string }[]>`
    select public.start_flow(${flowId}) ->> 'flow_run_id' as id from generate_series(1, ${count}::integer)`;
  return started.map((row) => row.id);
}
