import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { runKey } from '../../shared/use_run_events.ts';

/** A link from an execution of an agent to the run that it has made. Shows nothing if it has made none. */
export function TranscriptLink({ runId, nodeId, times }: { runId: string; nodeId: string; times: number }) {
  const { db } = useApi();
  const { data } = useQuery({
    // The begin and the end of a called run make this key outdated.
    queryKey: [...runKey(runId), 'called', nodeId, times],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_run').select('id')
        .match({ parent_flow_run_id: runId, parent_node_id: nodeId, parent_times: times }).abortSignal(signal)
        .maybeSingle().throwOnError();
      return data;
    },
  });
  if (data === undefined || data === null) return null;
  return <Anchor component={Link} size='sm' href={`/runs/${data.id}`}>Transcript of the agent</Anchor>;
}
