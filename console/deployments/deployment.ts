import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../shared/api.tsx';
import { isUuid } from '../shared/is_uuid.ts';
import { parseExactly } from '../shared/exact_json.ts';

/** A transfer that is added to a run's first transaction. Lamports as text, since they may be beyond 2^53. */
export interface Fee {
  address: string;
  lamports: string;
}

/** Where the runs of a deployment are told of. */
export interface OnEnd {
  url: string;
  events: string[];
}

/** A deployment with what its owner may set. */
export interface DeploymentDetails {
  id: string;
  created_at: string;
  entrypoint: number;
  /** Base16 of the hash of what was frozen: deployments with the same one run the same graph. */
  snapshot_hash: string;
  name: string;
  description: string;
  icon_url: string | null;
  start_permission: string;
  output_instructions: boolean;
  action_identity: string | null;
  fees: Fee[];
  chain_network: { url: string; cluster: string };
  /** Null for the default of `start_permission`, as `max_runs_in_flight`. */
  max_starts_per_minute: number | null;
  max_runs_in_flight: number | null;
  on_end: OnEnd | null;
  flows: { name: string } | null;
}

export const flowTitle = ({ entrypoint, flows }: Pick<DeploymentDetails, 'entrypoint' | 'flows'>): string =>
  flows?.name || `Flow ${entrypoint}`;

export const deploymentTitle = (deployment: Pick<DeploymentDetails, 'name' | 'entrypoint' | 'flows'>): string =>
  deployment.name || flowTitle(deployment);

const readFees = (text: string): Fee[] =>
  // SAFETY: the table's constraint holds fees to pairs of address and amount.
  (parseExactly(text) as [string, unknown][]).map(([address, amount]) => ({
    address,
    lamports: JSON.stringify(amount),
  }));

/** Reads one deployment; null when there is none, or it is somebody else's. */
export const deploymentQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'one', id],
    queryFn: async ({ signal }): Promise<DeploymentDetails | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('flow_deployments').select('*, fees_text:fees::text, flows(name)')
        .eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
      if (data === null) return null;
      // SAFETY: the table's constraints hold these columns to their types; supabase-js knows them as JSON only.
      const { fees_text, ...row } = data as unknown as DeploymentDetails & { fees_text: string };
      return { ...row, on_end: row.on_end ?? null, fees: readFees(fees_text) };
    },
  });

/** The graphs of one flow, as they were frozen. */
export interface FrozenGraph {
  nodes: unknown[];
  edges: unknown[];
}

/** The graphs of a deployment, by the ids of their flows. */
export interface FrozenGraphs {
  flow_id: number;
  flows: Record<string, FrozenGraph>;
}

/** What was frozen never changes. */
export const frozenGraphsQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'graphs', id],
    queryFn: async ({ signal }): Promise<FrozenGraphs> => {
      const { data } = await db.rpc('deployment_graph', { id }).abortSignal(signal).throwOnError();
      // SAFETY: the answer of the function, as its comment says.
      return data as unknown as FrozenGraphs;
    },
    staleTime: Infinity,
  });

/** How many of a list are offered to choose from: the newest. */
const OFFERED = 200;

/** The other deployments of a flow, to compare with. */
export const siblingsQuery = ({ db }: Api, { id, entrypoint }: Pick<DeploymentDetails, 'id' | 'entrypoint'>) =>
  queryOptions({
    queryKey: ['deployments', 'siblings', entrypoint, id],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments')
        .select('id, created_at, snapshot_hash, flow_deployments_tags(tag)').eq('entrypoint', entrypoint).neq('id', id)
        .order('id', { ascending: false }).limit(OFFERED).abortSignal(signal).throwOnError();
      return data;
    },
  });

/** The wallets that can sign as action identity: those whose key the runner has. */
export const identitiesQuery = ({ db }: Api) =>
  queryOptions({
    queryKey: ['deployments', 'identities'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('wallets').select('name, public_key').eq('type', 'HARDCODED').order('id')
        .limit(OFFERED).abortSignal(signal).throwOnError();
      return data;
    },
  });
