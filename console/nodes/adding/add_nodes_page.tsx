import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Page } from '../../shared/page/page.tsx';
import { describeDocument } from './describe.ts';
import { DescribedNodes } from './described_nodes.tsx';
import { DOCUMENT_KINDS, type DocumentKind } from './kinds.ts';
import { type ReadText, SourceFields } from './source_fields.tsx';

const KINDS = Object.entries(DOCUMENT_KINDS).map(([value, { label }]) => ({ value: value as DocumentKind, label }));

/** A page that makes nodes of a description: an OpenAPI document, or the IDL of a Solana program. */
export default function AddNodesPage() {
  const api = useApi();
  const [kind, setKind] = useState<DocumentKind>('openapi');
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const reading = useMutation({
    mutationFn: async (read: ReadText) => {
      running.current?.abort();
      const { signal } = running.current = new AbortController();
      return await describeDocument(kind, await read(api, signal), signal);
    },
  });
  return (
    <Page
      title='Add nodes'
      parents={[{ title: 'Nodes', href: '/nodes' }]}
      description='Each operation of an API, or instruction of a Solana program, becomes a node. Only you see it. It replaces your node with the same name and version; deployments keep what they have.'
    >
      <NativeSelect
        label='Nodes of'
        data={KINDS}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as DocumentKind)}
      />
      <SourceFields kind={kind} isReading={reading.isPending} onRead={(read) => reading.mutate(read)} />
      <ErrorAlert error={reading.error} />
      {reading.data !== undefined && <DescribedNodes key={reading.submittedAt} described={reading.data} />}
    </Page>
  );
}
