import { queryOptions } from '@tanstack/react-query';
import type { Api, Db } from '../../../shared/api.tsx';
import { type FlowSettings, objectsOf } from '../../flow_rows.ts';
import { type FlowDocument, placeNodes } from '../flow_document.ts';

/** A version of a flow, without its contents. */
export interface Version {
  id: number;
  /** Null for an automatic version. */
  name: string | null;
  saved_at: string;
  /** True if the saved flow has the same contents as the version. */
  is_current: boolean;
  /** The newest deployment that was made from these contents. */
  deployment_id: string | null;
  tags: string[];
}

/** The settings that a version contains. */
export type VersionSettings = Pick<FlowSettings, 'environment' | 'chain_network' | 'instructions_bundling'>;

/** The contents of a version. */
export interface VersionContents {
  document: FlowDocument;
  settings: VersionSettings;
}

export const historyKey = (flowId: number) => ['flows', 'history', flowId];

/** Lists the versions of a flow. */
export const historyQuery = ({ db }: Api, flowId: number) =>
  queryOptions({
    queryKey: historyKey(flowId),
    queryFn: async ({ signal }): Promise<Version[]> => {
      const { data } = await db.rpc('flow_history', { flow_id: flowId }).abortSignal(signal).throwOnError();
      // SAFETY: the function's comment defines the shape of its answer.
      return data as unknown as Version[];
    },
    // Each save and each deploy may add a version.
    staleTime: 0,
  });

/** Reads the contents of a version. They never change. */
export const contentsQuery = ({ db }: Api, id: number) =>
  queryOptions({
    queryKey: ['flows', 'version', id],
    queryFn: async ({ signal }): Promise<VersionContents> => {
      const { data } = await db.from('flow_versions')
        .select('environment, chain_network, instructions_bundling, nodes:nodes::text, edges:edges::text')
        .eq('id', id).abortSignal(signal).single().throwOnError();
      // SAFETY: the columns were copied from a flow, and the constraints of flows enforce these types.
      const { nodes, edges, ...settings } = data as unknown as VersionSettings & { nodes: string; edges: string };
      return { document: await placeNodes({ nodes: objectsOf(nodes), edges: objectsOf(edges) }, signal), settings };
    },
    staleTime: Infinity,
  });

/** Stores the saved flow as a version with a name. */
export const keepVersion = async (db: Db, flowId: number, name: string): Promise<void> =>
  void await db.rpc('keep_flow_version', { flow_id: flowId, name }).throwOnError();

/** Names a version. An empty name makes the version automatic. */
export const nameVersion = async (db: Db, id: number, name: string): Promise<void> =>
  void await db.from('flow_versions').update({ name: name === '' ? null : name }).eq('id', id).throwOnError();

export const deleteVersion = async (db: Db, id: number): Promise<void> =>
  void await db.from('flow_versions').delete().eq('id', id).throwOnError();

/**
 * Replaces the saved flow by a version, and returns the time of the save. Throws `flow_changed` if the flow was saved
 * after `savedAt`.
 */
export async function restoreVersion(db: Db, id: number, savedAt: string): Promise<string> {
  const { data } = await db.rpc('restore_flow_version', { id, updated_at: savedAt }).throwOnError();
  // SAFETY: the function's comment defines the shape of its answer.
  return (data as unknown as { updated_at: string }).updated_at;
}
