import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { projectFunctionsDir } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import type { StackOptions } from '../../dev/stack/stack_options.ts';
import { signAccessToken } from '../support/access_token.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { FlowBuilder } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';
import { makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** A user with credentials. */
interface BenchUser {
  id: string;
  token: string;
  apiKey: string;
}

/** A stack for one figure, with the baseline's schema `bench` in its database. */
export interface BenchStack extends WorkerStack {
  status: StackStatus;
  owner: BenchUser;
  addUser: () => Promise<BenchUser>;
  /** Stores a flow of the owner. */
  storeFlow: (flow: FlowBuilder) => Promise<number>;
  /** Deploys a flow of the owner that anybody may start. */
  deploy: (flowId: number) => Promise<string>;
  /** Starts runs of a flow of the owner in one transaction. Returns their ids in order. */
  startFlow: (flowId: number, inputs: ValueMap[]) => Promise<string[]>;
  /** Deletes all runs and messages. Then adds ended runs, as many as a project in use has. */
  clearRuns: () => Promise<void>;
}

/** Does work in one transaction, with the settings that PostgREST makes for this user. */
const asUser = <Result>(sql: Sql, userId: string, work: (tx: Sql) => Promise<Result>) =>
  sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: userId, role: 'authenticated' })
    }, true), set_config('role', 'authenticated', true)`;
    return await work(tx as unknown as Sql);
  }) as Promise<Result>;

/** Signals that end a bench early. Before the bench ends, it deletes its stacks. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The folder of the Edge Functions that only the bench has. */
export const benchFunctionsDir = join(projectDir, 'tests/bench/functions');

/** The options of a stack that serves the project's Edge Functions and the bench's. */
export const withFunctions = { functionsDir: projectFunctionsDir, extraFunctionsDir: benchFunctionsDir };

/**
 * Boots a stack, by default without Edge Functions. Commits are durable, as in a hosted project (`fsync`). Only the
 * figure causes work: there is no sweeper and no watcher.
 */
async function bootBenchStack(name: string, options: Partial<StackOptions>): Promise<BenchStack> {
  const workers = await makeWorkerStack(`bench-${name}`, {
    blank: null,
    watch: false,
    sweep: false,
    postgresSettings: {},
    ...options,
  });
  const { sql } = workers;
  const { status } = workers.stack;
  try {
    await sql.unsafe(await readFile(join(projectDir, 'tests/bench/bare.sql'), 'utf8'));
    const addUser = async (): Promise<BenchUser> => {
      const id = randomUUID();
      await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
      const [row] = await asUser(sql, id, (tx) => tx`select public.create_api_key('bench') ->> 'key' as key`);
      return { id, token: await signAccessToken(id, { secret: status.JWT_SECRET }), apiKey: row!.key };
    };
    const owner = await addUser();
    await isServingBench(status, owner);
    return {
      ...workers,
      status,
      owner,
      addUser,
      storeFlow: async (flow) => {
        const { nodes, edges } = flow.row();
        const [row] = await sql`
          insert into public.flows (user_id, name, nodes, edges, is_public, start_shared, start_unverified)
          values (${owner.id}, 'bench', ${sql.json(nodes as never)}, ${sql.json(edges as never)}, true, true, true)
          returning id`;
        return row!.id;
      },
      deploy: async (flowId) => {
        const [row] = await asUser(
          sql,
          owner.id,
          (tx) => tx`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`,
        );
        // These limits are so high that they refuse no start. The bench measures only the cost of checking them.
        await sql`
          update public.flow_deployments set max_starts_per_minute = 2000000000, max_runs_in_flight = 2000000000
          where id = ${row!.id}`;
        return row!.id;
      },
      startFlow: (flowId, inputs) =>
        asUser(sql, owner.id, async (tx) => {
          const rows = await tx`
            select public.start_flow(${flowId}, i.inputs) ->> 'flow_run_id' as id
            from jsonb_array_elements(${tx.json(inputs as never)}) with ordinality as i (inputs, position)
            order by i.position`;
          return rows.map((row) => row.id);
        }),
      clearRuns: async () => {
        await sql`call bench.reset(${owner.id})`;
        await sql`vacuum analyze`;
      },
    };
  } catch (error) {
    await workers.remove();
    throw error;
  }
}

/** Waits until PostgREST has reloaded its configuration and serves the schema `bench`. */
async function isServingBench({ API_URL, ANON_KEY }: StackStatus, { token }: BenchUser): Promise<void> {
  await waitFor(async () => {
    const response = await fetch(`${API_URL}/rest/v1/rpc/start`, {
      method: 'POST',
      headers: { apikey: ANON_KEY, authorization: `Bearer ${token}`, 'content-profile': 'bench' },
    });
    const { code } = await response.json() as { code?: string };
    // This code means that the schema has no such function without arguments. So PostgREST serves the schema `bench`
    // now.
    return code === 'PGRST202' || undefined;
  });
}

/** Works with a stack that is deleted afterwards. */
export async function withBenchStack<Result>(
  name: string,
  work: (bench: BenchStack) => Promise<Result>,
  options: Partial<StackOptions> = {},
): Promise<Result> {
  const bench = await bootBenchStack(name, options);
  const interrupt = () => void bench.remove().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(bench);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    await bench.remove();
  }
}
