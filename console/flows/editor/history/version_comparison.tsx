import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { compareGraphs } from '../../../shared/compare/compare_graphs.ts';
import { GraphChanges } from '../../../shared/compare/graph_changes.tsx';
import { ErrorAlert } from '../../../shared/error_alert.tsx';
import { Loading } from '../../../shared/loading.tsx';
import { useEditorState } from '../editor_context.tsx';
import { contentsQuery, type Version, type VersionContents, type VersionSettings } from './versions.ts';

const SETTINGS: Record<keyof VersionSettings, string> = {
  environment: 'Environment',
  chain_network: 'Network',
  instructions_bundling: 'Transactions',
};

/** Returns the text of a setting. Members of objects are sorted, so that equal objects have equal texts. */
const textOf = (value: VersionSettings[keyof VersionSettings]): string =>
  JSON.stringify(typeof value === 'object' ? Object.entries(value).toSorted() : value);

function Differences({ contents }: { contents: VersionContents }) {
  const { document, settings } = useEditorState();
  const { nodes, edges } = useMemo(() => compareGraphs(contents.document, document), [contents, document]);
  const changed = (Object.keys(SETTINGS) as (keyof VersionSettings)[])
    .filter((name) => textOf(contents.settings[name]) !== textOf(settings[name])).map((name) => SETTINGS[name]);
  const isSame = nodes.length + edges.length + changed.length === 0;
  return (
    <>
      <Text size='sm'>
        {isSame ? 'Since this version only positions of nodes have changed.' : 'From this version to the drawing:'}
      </Text>
      <GraphChanges nodes={nodes} edges={edges} />
      {changed.length > 0 && <Text size='sm'>These settings of the flow differ: {changed.join(', ')}.</Text>}
    </>
  );
}

/** The differences between a version and the drawing. */
export function VersionComparison({ version }: { version: Version }) {
  const { data: contents, error, refetch } = useQuery(contentsQuery(useApi(), version.id));
  return (
    <Stack role='region' aria-label='Comparison' gap='xs' pl='md'>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {contents === undefined && error === null && <Loading label='Reading the version' />}
      {contents !== undefined && <Differences contents={contents} />}
    </Stack>
  );
}
