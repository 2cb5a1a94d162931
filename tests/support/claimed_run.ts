import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { makeRpc } from '../../functions/_shared/database.ts';
import { type Claim, type Claims, makeClaims } from '../../functions/runner/queue/claims.ts';
import type { Effect, KvStores } from '../../functions/runner/engine/node.ts';
import { makeKvStores } from '../../functions/runner/reach/kv_stores.ts';
import { asSuperuser } from './tokens.ts';

/** A run of the test stack that is claimed by nobody but the test, since no message in the queue tells of it. */
export interface ClaimedRun {
  id: string;
  /** Shows the run to its holder. */
  token: string;
  claim: Claim;
  /** The stores for an execution of a node, a new one unless given. */
  stores: (effect?: Effect, claimNumber?: number) => Promise<KvStores>;
  /** A node of the run begins. */
  begin: () => Promise<Effect>;
  /** Ends the run. */
  end: () => Promise<void>;
}

/** The door through which workers call the database. */
const serviceRpc = () => {
  const { API_URL, SECRET_KEY } = inject('stack');
  return makeRpc({ supabaseUrl: API_URL, apikey: SECRET_KEY, fetch });
};

/** What workers ask of the database, on the test stack. */
export const stackClaims = (): Claims =>
  makeClaims(serviceRpc(), {
    runnerLeaseSeconds: 60,
    runnerMaxLostClaims: 5,
    retryMs: 1_000,
    historyPageBytes: 1_048_576,
  });

/** A claim of which nothing is known but what the database goes by, of a run that is no redrive. */
// SAFETY: the claim is sent to the database, which reads no more of it, and asked for its history.
export const claimOf = (flow_run_id: string, claimNumber = 1): Claim =>
  ({ flow_run_id, claim_number: claimNumber, redriven_output_bytes: null }) as Partial<Claim> as Claim;

/** Stores a run of the user's flow, as the first claim of a worker has it. */
export async function makeClaimedRun(userId: string, startedBy: string | null = null): Promise<ClaimedRun> {
  const { id, token } = await asSuperuser(async (sql) => {
    const [flow] = await sql`insert into public.flows (user_id) values (${userId}) returning id`;
    const [run] = await sql`
      insert into public.flow_run (user_id, flow_id, started_by, status, start_time, inputs, chain_network)
      values (${userId}, ${
      flow!.id
    }, ${startedBy}, 'running', now(), '{"M": {}}', '{"cluster": "devnet"}') returning id, private.run_token(id) as token`;
    await sql`
      insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, claim_number)
      values (${run!.id}, ${userId}, (select private.take_snapshot(f) from public.flows as f where f.id = ${
      flow!.id
    }), 'https://api.devnet.solana.com', 1)`;
    return run as unknown as { id: string; token: string };
  });
  const rpc = serviceRpc();
  const begin = async (): Promise<Effect> => {
    const effect = { flow_run_id: id, node_id: randomUUID(), times: 0 };
    await asSuperuser((sql) =>
      sql`insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
        values (${id}, ${effect.node_id}, 0, ${userId}, now(), '{"M": {}}')`
    );
    return effect;
  };
  return {
    id,
    token,
    claim: claimOf(id),
    begin,
    stores: async (effect, claimNumber = 1) =>
      makeKvStores(rpc, { flow_run_id: id, claim_number: claimNumber })(effect ?? await begin()),
    end: () =>
      asSuperuser(async (sql) => {
        await sql`update public.flow_run set status = 'stopped', end_time = now() where id = ${id}`;
      }),
  };
}
