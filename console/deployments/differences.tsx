import { Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { compareGraphs, isEqual } from '../shared/compare/compare_graphs.ts';
import { GraphChanges } from '../shared/compare/graph_changes.tsx';
import type { FrozenGraphs } from './deployment.ts';

interface DifferencesProps {
  before: FrozenGraphs;
  after: FrozenGraphs;
  /** True if the two deployments have the same snapshot. */
  isSame: boolean;
}

/** The changes from another deployment to this deployment. */
export function Differences({ before, after, isSame }: DifferencesProps) {
  const compared = useMemo(() => {
    const flowIds = [...new Set([...Object.keys(after.flows), ...Object.keys(before.flows)])];
    return flowIds.map((flowId) => ({ flowId, ...compareGraphs(before.flows[flowId], after.flows[flowId]) }))
      .filter((comparison) => !isEqual(comparison));
  }, [before, after]);
  return (
    <Stack role='region' aria-label='Comparison'>
      {isSame && <Text>Both run the same graph.</Text>}
      {!isSame && compared.length === 0 && (
        <Text>The graphs differ only in digits of numbers, which the browser has rounded.</Text>
      )}
      {compared.map(({ flowId, ...comparison }) => (
        <Stack key={flowId} gap='sm'>
          {flowId !== String(after.flow_id) && <Title order={3} size='h5'>Called flow {flowId}</Title>}
          <GraphChanges {...comparison} />
        </Stack>
      ))}
    </Stack>
  );
}
