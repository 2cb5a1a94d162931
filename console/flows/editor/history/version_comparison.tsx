import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { compareGraphs, isEqual } from '../../../shared/compare/compare_graphs.ts';
import { GraphChanges } from '../../../shared/compare/graph_changes.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { Loading } from '../../../shared/page/loading.tsx';
import { useEditorState } from '../editor_context.tsx';
import { contentsQuery, type Version, type VersionContents, type VersionSettings } from './versions.ts';

function Differences({ contents }: { contents: VersionContents }) {
  const { document, settings: { environment, chain_network, instructions_bundling } } = useEditorState();
  const comparison = useMemo(() => {
    const drawn: VersionSettings = { environment, chain_network, instructions_bundling };
    return compareGraphs({ ...contents.document, ...contents.settings }, { ...document, ...drawn });
  }, [contents, document, environment, chain_network, instructions_bundling]);
  return (
    <>
      <Text size='sm'>
        {isEqual(comparison)
          ? 'Since this version only positions of nodes have changed.'
          : 'From this version to the drawing:'}
      </Text>
      <GraphChanges {...comparison} />
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
