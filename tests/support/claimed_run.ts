import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { makeRpc } from '../../platform/database/rpc.ts';
import { type Claim, type Claims, makeClaims } from '../../runner/queue/claim/claims.ts';
import type { Effect, KvStores } from '../../runner/engine/node.ts';
import { makeKvStores } from '../../runner/reach/kv_stores.ts';
import { asSuperuser } from './tokens.ts';

/**
 * A run of the test stack that the test has claimed. No worker can claim it, because the queue has no message of it.
 */
export interface ClaimedRun {
  id: string;
  /** The run's token. */
  token: string;
  claim: Claim;
  /** Returns the key-value stores as a node execution sees them; by default, as a new node execution. */
  stores: (effect?: Effect, claimNumber?: number) => Promise<KvStores>;
  /** Begins a node of the run. */
  begin: () => Promise<Effect>;
  /** Ends the run. */
  end: () => Promise<void>;
}

/** Calls database functions as workers do. */
const serviceRpc = () => {
  const { API_URL, SECRET_KEY } = inject('stack');
  return makeRpc({ restUrl: `${API_URL}/rest/v1`, apikey: SECRET_KEY, fetch });
};

/** Makes the service by which workers claim runs, for the test stack. */
export const stackClaims = (): Claims =>
  makeClaims(serviceRpc(), {
    runnerLeaseSeconds: 60,
    runnerMaxLostClaims: 5,
    retryMs: 1_000,
    historyPageBytes: 1_048_576,
  });

/** Makes a claim of a run that is no redrive. The claim has only the fields that the database reads. */
// SAFETY: the claim is only sent to the database and used to read its history.
export const claimOf = (flow_run_id: string, claimNumber = 1): Claim =>
  ({ flow_run_id, claim_number: claimNumber, earlier_output_bytes: null }) as Partial<Claim> as Claim;

/** Stores a run of a flow of this user. The run is in the state after a worker's first claim. */
export async function makeClaimedRun(userId: string, startedBy: string | null = null): Promise<ClaimedRun> {
  const { id, token } = await asSuperuser(async (sql) => {
    const [flow] = await sql`insert into public.flows (user_id) values (${userId}) returning id`;
    const [run] = await sql`
      insert into public.flow_run (user_id, flow_id, started_by, status, start_time, inputs, chain_network)
      values (${userId}, ${
      flow!.id
    }, ${startedBy}, 'running', now(), '{"M": {}}', '{"cluster": "devnet"}') returning id, private.run_token(id) as token`;
    await sql`
      insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, claim_number, state, due_at)
      values (${run!.id}, ${userId}, (select private.take_snapshot(f) from public.flows as f where f.id = ${
      flow!.id
    }), '{"chain_network": {"url": "https://api.devnet.solana.com"}}', 1, 'held', 'infinity')`;
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
        await sql`update private.flow_run_jobs set state = 'ended', due_at = null where flow_run_id = ${id}`;
        await sql`update public.flow_run set status = 'stopped', end_time = now() where id = ${id}`;
      }),
  };
}
