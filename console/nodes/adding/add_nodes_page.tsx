import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Page } from '../../shared/page/page.tsx';
import { describeInWorker } from './describe.ts';
import { DescribedNodes } from './described_nodes.tsx';
import { SOURCE_KINDS, type SourceKindName } from './kinds.ts';
import { type ReadDescription, SourceFields } from './source_fields.tsx';

const KINDS = Object.entries(SOURCE_KINDS).map(([value, { label }]) => ({ value: value as SourceKindName, label }));

/** A page that makes nodes of a description: an OpenAPI document, an MCP server, or the IDL of a Solana program. */
export default function AddNodesPage() {
  const api = useApi();
  const [kind, setKind] = useState<SourceKindName>('openapi');
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const reading = useMutation({
    mutationFn: async (read: ReadDescription) => {
      running.current?.abort();
      const { signal } = running.current = new AbortController();
      return await describeInWorker({ kind, description: await read(api, signal) }, signal);
    },
  });
  return (
    <Page
      title='Add nodes'
      parents={[{ title: 'Nodes', href: '/nodes' }]}
      description='Each operation of an API, tool of an MCP server, or instruction of a Solana program becomes a node. Only you see it. It replaces your node with the same name and version; deployments keep what they have.'
    >
      <NativeSelect
        label='Nodes of'
        data={KINDS}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as SourceKindName)}
      />
      <SourceFields kind={kind} isReading={reading.isPending} onRead={(read) => reading.mutate(read)} />
      <ErrorAlert error={reading.error} />
      {reading.data !== undefined && <DescribedNodes key={reading.submittedAt} described={reading.data} />}
    </Page>
  );
}
