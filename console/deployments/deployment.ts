import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../shared/api.tsx';
import type { GraphJson } from '../shared/compare/compare_graphs.ts';
import { readNewestDeployment } from '../shared/deploying/former_settings.ts';
import { isUuid } from '../shared/is_uuid.ts';
import { parseExactly } from '../shared/exact_json.ts';

/** A transfer that is added to a run's first transaction. Lamports are text, because they may exceed 2^53. */
export interface Fee {
  address: string;
  lamports: string;
}

/** The address to which messages about runs are sent. */
interface OnEnd {
  url: string;
  events: string[];
}

/** A deployment with the settings that its owner can change. */
export interface DeploymentDetails {
  id: string;
  created_at: string;
  entrypoint: number;
  /** The hash of the snapshot, in base16. Deployments with the same hash run the same graph. */
  snapshot_hash: string;
  name: string;
  description: string;
  icon_url: string | null;
  start_permission: string;
  output_instructions: boolean;
  action_identity: string | null;
  fees: Fee[];
  chain_network: { url: string; cluster: string };
  /** Null in this or the next member means the default, which depends on `start_permission`. */
  max_starts_per_minute: number | null;
  max_runs_in_flight: number | null;
  /** `caller`, the name of an input, or null for one key of all runs. */
  queue_key: string | null;
  queue_key_shared: boolean;
  /** Null in this or the next members means no limit. */
  max_running_per_key: number | null;
  max_starts_per_key: number | null;
  key_period_seconds: number | null;
  debounce_seconds: number | null;
  debounce_max_seconds: number | null;
  model_limits: { run_tokens?: number; day_tokens?: number } | null;
  input_names: string[];
  on_end: OnEnd | null;
  flows: { name: string } | null;
}

export const flowTitle = ({ entrypoint, flows }: Pick<DeploymentDetails, 'entrypoint' | 'flows'>): string =>
  flows?.name || `Flow ${entrypoint}`;

export const deploymentTitle = (deployment: Pick<DeploymentDetails, 'name' | 'entrypoint' | 'flows'>): string =>
  deployment.name || flowTitle(deployment);

const readFees = (text: string): Fee[] =>
  // SAFETY: a constraint of the table allows only pairs of an address and an amount.
  (parseExactly(text) as [string, unknown][]).map(([address, amount]) => ({
    address,
    lamports: JSON.stringify(amount),
  }));

/** Reads one deployment; null if it does not exist or belongs to another user. */
export const deploymentQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'one', id],
    queryFn: async ({ signal }): Promise<DeploymentDetails | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('flow_deployments').select('*, fees_text:fees::text, flows(name)')
        .eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
      if (data === null) return null;
      // SAFETY: the table's constraints enforce the types of these columns; supabase-js types them as JSON only.
      const { fees_text, ...row } = data as unknown as DeploymentDetails & { fees_text: string };
      return { ...row, on_end: row.on_end ?? null, fees: readFees(fees_text) };
    },
  });

/** The frozen graphs of a deployment, by the ids of their flows. */
export interface FrozenGraphs {
  flow_id: number;
  flows: Record<string, GraphJson>;
}

/** Reads frozen graphs. They never change. */
export const frozenGraphsQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'graphs', id],
    queryFn: async ({ signal }): Promise<FrozenGraphs> => {
      const { data } = await db.rpc('deployment_graph', { id }).abortSignal(signal).throwOnError();
      // SAFETY: the function's comment defines the shape of its answer.
      return data as unknown as FrozenGraphs;
    },
    staleTime: Infinity,
  });

/** The most items that a list offers. The newest items come first. */
const OFFERED = 200;

/** Reads the other deployments of a flow, for a comparison. */
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

/** Reads the wallets that can be the action identity: those with a stored secret key, because others can't sign. */
export const identitiesQuery = ({ db }: Api) =>
  queryOptions({
    queryKey: ['deployments', 'identities'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('wallets').select('name, public_key').eq('type', 'HARDCODED').order('id')
        .limit(OFFERED).abortSignal(signal).throwOnError();
      return data;
    },
  });

/** Reads the tags that name a deployment now. */
export const tagsOfQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'tags of', id],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments_tags').select('tag').eq('deployment_id', id).order('tag')
        .limit(OFFERED).abortSignal(signal).throwOnError();
      return data.map(({ tag }) => tag);
    },
  });

/** Reads the newest deployment of a flow, which always has the tag latest; null if the flow has none. */
export const newestQuery = ({ db }: Api, entrypoint: number) =>
  queryOptions({
    queryKey: ['deployments', 'newest of', entrypoint],
    queryFn: ({ signal }) => readNewestDeployment(db, entrypoint, signal),
  });

/** Reads whether the flow has changed since the deploy, so that a new deploy would make a different snapshot. */
export const flowHasChangedQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['deployments', 'flow has changed', id],
    queryFn: async ({ signal }): Promise<boolean> => {
      const { data } = await db.rpc('flow_has_changed', { id }).abortSignal(signal).throwOnError();
      return data;
    },
  });

/** Reads whether the deployment has nodes of Solana, or settings for transactions. */
export const usesSolanaQuery = ({ flows }: Api, { id }: Pick<DeploymentDetails, 'id'>) =>
  queryOptions({
    queryKey: ['deployments', 'uses Solana', id],
    queryFn: async ({ signal }): Promise<boolean> => (await flows.read({ id }, { signal })).uses_solana,
  });
