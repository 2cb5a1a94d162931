import type { Database } from 'flow-deployments-client';
import type { Api, Db } from '../api.tsx';

type Column = keyof Database['public']['Tables']['flow_deployments']['Row'];
/** The columns of a deployment that its owner can change. */
export type Setting = Exclude<
  Column,
  'id' | 'created_at' | 'user_id' | 'entrypoint' | 'snapshot_hash' | 'input_names' | 'typed_inputs'
>;

/** A setting that a deploy keeps only if it takes over the settings of the former deployment. */
export interface ComparedSetting {
  setting: Setting;
  kept: unknown;
  otherwise: unknown;
}

/** The newest deployment of a flow before a deploy, and its settings that the flow does not have. */
export interface FormerSettings {
  from: string;
  differing: ComparedSetting[];
}

/** Reads the newest deployment of a flow, which always has the tag latest; null if the flow has none. */
export async function readNewestDeployment(db: Db, flow: number, signal?: AbortSignal): Promise<string | null> {
  const query = db.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flow).eq('tag', 'latest');
  const { data } = await (signal ? query.abortSignal(signal) : query).maybeSingle().throwOnError();
  return data?.deployment_id ?? null;
}

/** Reads the settings that the next deploy of a flow can take over; undefined if the flow has no deployment yet. */
export async function readFormerSettings({ db }: Api, flow: number): Promise<FormerSettings | undefined> {
  const from = await readNewestDeployment(db, flow);
  if (from === null) return undefined;
  const { data } = await db.rpc('compare_deploy_settings', { flow_id: flow, settings_from: from }).throwOnError();
  // SAFETY: the function's comment defines the shape of its answer.
  return { from, differing: data as unknown as ComparedSetting[] };
}
