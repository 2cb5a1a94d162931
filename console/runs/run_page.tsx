import { useQuery } from '@tanstack/react-query';
import { type Api, useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { showError } from '../shared/errors/shown_error.ts';
import { isUuid } from '../shared/is_uuid.ts';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { useLiveRun } from '../shared/run/use_live_run.ts';
import { readFlowNames } from '../shared/targets/flow_names.ts';
import { RunActions } from './run_actions.tsx';
import { RunDetails } from './run_details.tsx';
import { runGraphQuery } from './run_graph_query.ts';
import './runs.css';

const readFlowName = async ({ db }: Api, flowId: number, signal: AbortSignal): Promise<string> =>
  (await readFlowNames(db, [flowId], signal)).get(flowId) ?? `Flow ${flowId}`;

/** A run, during its execution and afterwards. */
export default function RunPage({ id }: { id: string }) {
  const api = useApi();
  const live = useLiveRun(id, isUuid(id));
  const { run, isOwner, error } = live;
  const { data: graph, error: graphError } = useQuery({ ...runGraphQuery(api, run), enabled: isOwner });
  const { data: name } = useQuery({
    queryKey: ['runs', 'flow name', run?.flow_id],
    queryFn: ({ signal }) => readFlowName(api, run?.flow_id ?? 0, signal),
    enabled: run !== undefined,
  });
  const isMissing = !isUuid(id) || showError(error).code === 'flow_run_not_found';
  if (isMissing) return <NotFoundPage what='run' />;
  if (run === undefined && error === null) return <Loading />;
  return (
    <Page
      title={`Run of ${name ?? (run === undefined ? 'a flow' : `flow ${run.flow_id}`)}`}
      parents={[{ title: 'Runs', href: '/runs' }]}
      description={id}
      actions={run && <RunActions run={run} isOwner={isOwner} />}
    >
      <ErrorAlert error={error ?? graphError} />
      {run !== undefined && <RunDetails live={live} run={run} graph={graph} />}
    </Page>
  );
}
