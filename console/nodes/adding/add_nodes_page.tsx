import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Page } from '../../shared/page/page.tsx';
import { describeDocument } from './describe.ts';
import { DescribedNodes } from './described_nodes.tsx';
import { type ReadText, SourceFields } from './source_fields.tsx';

/** A page that makes nodes of the operations of an OpenAPI document. */
export default function AddNodesPage() {
  const api = useApi();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const reading = useMutation({
    mutationFn: async (read: ReadText) => {
      running.current?.abort();
      const { signal } = running.current = new AbortController();
      return await describeDocument(await read(api, signal), signal);
    },
  });
  return (
    <Page
      title='Add nodes'
      parents={[{ title: 'Nodes', href: '/nodes' }]}
      description='Each operation of an API with an OpenAPI document becomes a node. Only you see it. It replaces your node with the same name and version; deployments keep what they have.'
    >
      <SourceFields isReading={reading.isPending} onRead={(read) => reading.mutate(read)} />
      <ErrorAlert error={reading.error} />
      {reading.data !== undefined && <DescribedNodes key={reading.submittedAt} described={reading.data} />}
    </Page>
  );
}
