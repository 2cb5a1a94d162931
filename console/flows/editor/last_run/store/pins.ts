import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ValueMap } from 'flow-deployments-client';
import { type Api, useApi } from '../../../../shared/api.tsx';
import { useEditor } from '../../editor_context.tsx';

const NO_PINS: ReadonlyMap<string, ValueMap> = new Map();

const pinsKey = (flowId: number): readonly unknown[] => ['flows', 'pins', flowId];

async function readPins({ db }: Api, flowId: number, signal: AbortSignal): Promise<ReadonlyMap<string, ValueMap>> {
  const { data } = await db.from('flow_pins').select('node_id, outputs').eq('flow_id', flowId)
    .abortSignal(signal).throwOnError();
  // SAFETY: the table stores only tagged values by output.
  return new Map(data.map(({ node_id, outputs }) => [node_id, outputs as unknown as ValueMap]));
}

/** Reads the pinned outputs of the flow's nodes, by the ids of the nodes. */
export function usePins(): ReadonlyMap<string, ValueMap> {
  const { flow, isOwner } = useEditor();
  const api = useApi();
  const { data = NO_PINS } = useQuery({
    queryKey: pinsKey(flow.id),
    queryFn: ({ signal }) => readPins(api, flow.id, signal),
    enabled: isOwner,
    structuralSharing: false,
  });
  return data;
}

/** Stores the pinned outputs of a node, or removes them. */
export function usePinning(nodeId: string) {
  const { flow: { id: flowId } } = useEditor();
  const { db } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (outputs: ValueMap | undefined) => {
      if (outputs === undefined) {
        await db.from('flow_pins').delete().match({ flow_id: flowId, node_id: nodeId }).throwOnError();
      } else {
        // SAFETY: tagged values are JSON.
        const row = { flow_id: flowId, node_id: nodeId, outputs: outputs as unknown as never };
        await db.from('flow_pins').upsert(row, { onConflict: 'flow_id,node_id' }).throwOnError();
      }
      await queries.invalidateQueries({ queryKey: pinsKey(flowId) });
    },
  });
}
