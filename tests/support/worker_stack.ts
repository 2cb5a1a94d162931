import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import { readWalletKeysOf } from '../../platform/local_stack/running_stacks.ts';
import { sealConnection } from '../../platform/secrets/connection_secrets.ts';
import { readWalletKeys, toSealedRow } from '../../platform/secrets/sealed_secrets.ts';
import type { ConnectionSecret } from '../../types/connection.ts';
import { sealWallet } from '../../platform/secrets/wallet_crypto.ts';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import type { StackOptions } from '../../dev/stack/stack_options.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import type { StartedRun } from './actions.ts';
import type { FlowBuilder } from './flow_builder.ts';
import type { Keypair } from './keypairs.ts';
import { makeOwnStack, type OwnStack } from './own_stack.ts';
import { waitFor } from './wait.ts';

/** How a run ended. */
export interface EndedRun {
  id: string;
  status: string;
  output: { M: ValueMap };
  errors: string[] | null;
}

/** An owner of flows. For tests of execution, the owner starts flows by SQL, without requests. */
export interface FlowOwner {
  id: string;
  /** Stores a flow. If a chain is given, the flow's runs use it. */
  storeFlow: (flow: FlowBuilder, chain?: { url: string }) => Promise<number>;
  /** Stores a HARDCODED wallet as the wallets function does. */
  storeWallet: (pair: Keypair) => Promise<void>;
  /** Stores a connection as the function connections does. */
  storeConnection: (name: string, hosts: string[], opened: ConnectionSecret) => Promise<void>;
  /**
   * Starts a run for each of the inputs, and returns the ids in order. The runs are claimable after this many seconds.
   */
  start: (flowId: number, inputs: ValueMap[], delaySeconds?: number) => Promise<string[]>;
  startRun: (flowId: number, inputs: ValueMap) => Promise<StartedRun>;
  /** Redrives each run, and returns the ids of the new runs in order. */
  redrive: (runIds: string[]) => Promise<string[]>;
  /** Deploys a flow with an action identity, and starts it for the action's signer. */
  startAction: (flowId: number, action: { identity: string; signer: string; inputs: ValueMap }) => Promise<StartedRun>;
}

/**
 * Options of a stack. `functions` names the Edge Functions of the project that the stack serves. `blank` is as in
 * `makeOwnStack`.
 */
type WorkerStackOptions = Partial<StackOptions> & { functions?: string[]; blank?: string | null };

/**
 * A stack for tests of workers. By default it has no Edge Functions, so only workers that the test starts execute runs.
 */
export interface WorkerStack {
  own: OwnStack;
  stack: Stack;
  sql: Sql;
  /** The WALLET_KEYS of the stack's environment. */
  walletKeys: string;
  addOwner: () => Promise<FlowOwner>;
  /** Waits until all of these runs have ended, and returns them. */
  ended: (runIds: string[], timeoutMs?: number) => Promise<EndedRun[]>;
  remove: () => Promise<void>;
}

export async function makeWorkerStack(name: string, options: WorkerStackOptions = {}): Promise<WorkerStack> {
  const own = await makeOwnStack(name, options.blank);
  await own.serve(...options.functions ?? []);
  const stack = await own.boot(options);
  const sql = connect(stack.superuserUrl);
  const walletKeys = await readWalletKeysOf(own.dir);
  const functionsUrl = stack.status.FUNCTIONS_URL;

  const addOwner = async (): Promise<FlowOwner> => {
    const id = randomUUID();
    await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
    /** Runs work as the owner, in one transaction. */
    const asOwner = <T>(work: (tx: TransactionSql) => Promise<T>): Promise<T> =>
      sql.begin(async (tx) => {
        await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id, role: 'authenticated' })}, true)`;
        return await work(tx);
      }) as Promise<T>;
    return {
      id,
      storeFlow: async (flow, chain) => {
        const { nodes, edges } = flow.row();
        const [row] = await sql`
          insert into public.flows (user_id, name, nodes, edges, instructions_bundling)
          values (${id}, 'test', ${sql.json(nodes as never)}, ${
          sql.json(edges as never)
        }, ${flow.bundling}) returning id`;
        if (chain !== undefined) {
          const network = { url: chain.url, cluster: 'devnet' };
          await sql`update public.flows set chain_network = ${sql.json(network)} where id = ${row?.id}`;
        }
        return row?.id;
      },
      storeWallet: async ({ publicKey, secretKey }) => {
        const keys = readWalletKeys(() => walletKeys);
        const sealed = await sealWallet(keys, { user_id: id, public_key: publicKey }, secretKey);
        await sql`
          select private.store_wallet(${id}, 'HARDCODED', 'test', ${publicKey}, ${sealed.key_id}, ${sealed.nonce}, ${sealed.ciphertext})`;
      },
      storeConnection: async (name, hosts, { kind, secret }) => {
        const connection = { id: randomUUID(), user_id: id, name, kind, hosts, header: null, parameter: null };
        const sealed = toSealedRow(await sealConnection(readWalletKeys(() => walletKeys), connection, secret));
        await sql`select private.store_connection(${sql.json(connection)}, ${sql.json({ ...sealed })})`;
      },
      start: (flowId, inputs, delaySeconds = 0) =>
        asOwner(async (tx) => {
          const rows = await tx`
            select public.start_flow(${flowId}, i.inputs) ->> 'flow_run_id' as id
            from jsonb_array_elements(${tx.json(inputs as never)}) with ordinality as i (inputs, position)
            order by i.position`;
          const ids = rows.map((row) => row.id);
          if (delaySeconds > 0) {
            await tx`
              update private.flow_run_jobs
              set state = 'sleeping', due_at = clock_timestamp() + make_interval(secs => ${delaySeconds}::integer)
              where flow_run_id = any (${ids}::uuid[])`;
          }
          return ids;
        }),
      startRun: (flowId, inputs) =>
        asOwner(async (tx) => {
          const [row] = await tx`select public.start_flow(${flowId}, ${tx.json(inputs as never)}) as run`;
          return { ...row?.run, functionsUrl };
        }),
      redrive: (runIds) =>
        asOwner(async (tx) => {
          const rows = await tx`
            select public.redrive_flow_run(r.id) ->> 'flow_run_id' as id
            from unnest(${runIds}::uuid[]) with ordinality as r (id, position) order by r.position`;
          return rows.map((row) => row.id);
        }),
      startAction: (flowId, { identity, signer, inputs }) =>
        asOwner(async (tx) => {
          const [deployed] = await tx`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
          await tx`update public.flow_deployments set action_identity = ${identity} where id = ${deployed?.id}`;
          const [row] = await tx`
            select public.start_deployment(
              id => ${deployed?.id}, inputs => ${tx.json(inputs as never)}, action_signer => ${signer}
            ) as run`;
          return { ...row?.run, functionsUrl };
        }),
    };
  };

  const ended = async (runIds: string[], timeoutMs?: number): Promise<EndedRun[]> => {
    await waitFor(async () => {
      const [left] = await sql`
        select count(*)::integer as count from public.flow_run where id = any (${runIds}::uuid[]) and end_time is null`;
      return left?.count === 0 || undefined;
    }, timeoutMs);
    return await sql<EndedRun[]>`
      select r.id, r.status, r.output, r.errors
      from unnest(${runIds}::uuid[]) with ordinality as wanted (id, position)
      join public.flow_run as r on r.id = wanted.id
      order by wanted.position`;
  };

  return {
    own,
    stack,
    sql,
    walletKeys,
    addOwner,
    ended,
    remove: async () => {
      await sql.end();
      await own.remove();
    },
  };
}

/** Makes a number input. */
export const integer = (value: number): Value => ({ U: String(value) });
