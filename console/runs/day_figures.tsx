import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { describeDuration } from '../shared/run/duration.ts';
import type { RunSearch } from './run_filter.ts';
import { readStats } from './run_rows.ts';

const REFRESH_MS = 15_000;

const durationOf = (ms: number | null): string => ms === null ? '–' : describeDuration(ms);

/** Figures on the durations and failures of one flow or deployment. The project computes them for one at a time. */
export function DayFigures({ filter }: { filter: Pick<RunSearch, 'flow' | 'deployment'> }) {
  const { db } = useApi();
  const isOfOne = filter.flow !== undefined || filter.deployment !== undefined;
  const { data: stats, error } = useQuery({
    queryKey: ['runs', 'stats', filter],
    queryFn: ({ signal }) => readStats(db, filter, signal),
    enabled: isOfOne,
    refetchInterval: REFRESH_MS,
  });
  if (!isOfOne) return <Text size='xs' c='dimmed'>Choose a flow to see its median, and why its runs fail.</Text>;
  if (stats === undefined) return <ErrorAlert error={error} />;
  return (
    <Stack gap={4}>
      <Text size='xs'>
        {stats.is_complete ? '' : `The newest ${stats.runs} runs: `}
        half took at most {durationOf(stats.duration_ms.p50)}, 95 of 100 at most {durationOf(stats.duration_ms.p95)}
      </Text>
      {stats.failures.length > 0 && (
        <Group gap='xs' component='ul' className='console-plain-list' aria-label='Why runs failed'>
          {stats.failures.slice(0, 5).map(({ code, count }) => (
            <Text component='li' size='xs' key={code ?? ''}>
              {count} × {code === null ? 'without a code' : <Code>{code}</Code>}
            </Text>
          ))}
        </Group>
      )}
    </Stack>
  );
}
