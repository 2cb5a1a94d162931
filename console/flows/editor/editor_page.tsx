import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { NotFoundPage } from '../../shared/page/not_found_page.tsx';
import { readFlow } from '../flow_rows.ts';
import { placeNodes } from './flow_document.ts';
import { type OpenedFlow, OpenFlow } from './open_flow.tsx';
import './editor.css';

/** The editor of the flow that the address names. */
export default function EditorPage({ id }: { id: string }) {
  const { db } = useApi();
  const flowId = /^\d{1,9}$/.test(id) ? Number(id) : undefined;
  const { data: opened, error, refetch } = useQuery({
    queryKey: ['flows', 'open', flowId],
    queryFn: async ({ signal }): Promise<OpenedFlow | null> => {
      const flow = flowId === undefined ? undefined : await readFlow(db, flowId, signal);
      if (flow === undefined) return null;
      // If the layout computes positions, the flow does not count as changed. The positions are saved with the next
      // change.
      return { flow, document: await placeNodes({ nodes: flow.nodes, edges: flow.edges }, signal) };
    },
    // While the editor is open, its own copy of the flow is newer than the saved flow, so the flow is not read again.
    staleTime: Infinity,
    gcTime: 0,
  });
  if (opened) return <OpenFlow opened={opened} />;
  return (
    <div className='editor-missing'>
      {error !== null
        ? <ErrorAlert error={error} onRetry={() => void refetch()} />
        : opened === null
        ? <NotFoundPage what='flow' />
        : <Loading label='Loading the flow' />}
    </div>
  );
}
