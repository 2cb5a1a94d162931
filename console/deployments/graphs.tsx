import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { GraphView } from '../shared/graph/graph_view.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { Section } from '../shared/page/section.tsx';
import { type DeploymentDetails, frozenGraphsQuery } from './deployment.ts';

/** The frozen graphs: the flow, and the flows that it calls. */
export function Graphs({ deployment }: { deployment: DeploymentDetails }) {
  const { data, error, isPending, refetch } = useQuery(frozenGraphsQuery(useApi(), deployment.id));
  const [shown, setShown] = useState(String(deployment.entrypoint));
  const graph = data?.flows[shown];
  const called = Object.keys(data?.flows ?? {}).filter((flowId) => flowId !== String(deployment.entrypoint));
  return (
    <Section title='What was frozen'>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {isPending && <Loading label='Reading the graph' />}
      {called.length > 0 && (
        <NativeSelect
          label='Shown flow'
          maw={320}
          value={shown}
          onChange={(event) => setShown(event.currentTarget.value)}
          data={[
            { value: String(deployment.entrypoint), label: 'The flow itself' },
            ...called.map((flowId) => ({ value: flowId, label: `Called: flow ${flowId}` })),
          ]}
        />
      )}
      {graph && <GraphView key={shown} label='Frozen graph' nodes={graph.nodes} edges={graph.edges} />}
    </Section>
  );
}
