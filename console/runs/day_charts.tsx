import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RunStatus } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { chartDurations, countByHour, countByStatus, type Counts, describeCounts } from './chart_data.ts';
import { DayFigures } from './day_figures.tsx';
import { describeDuration } from '../shared/run/duration.ts';
import { type RunSearch, STATUSES } from './run_filter.ts';
import { type ChartedRun, readLastDay, RUNS_CHARTED } from './run_rows.ts';
import './runs.css';

const REFRESH_MS = 15_000;
const WIDTH = 480;
const HEIGHT = 120;
/** The height below the bars and points, for the times. */
const FOOT = 18;

const Times = () => (
  <>
    <text className='runs-axis' x={0} y={HEIGHT + FOOT - 4}>24 h ago</text>
    <text className='runs-axis' x={WIDTH} y={HEIGHT + FOOT - 4} textAnchor='end'>now</text>
  </>
);

/** The runs of each hour, as a bar of stacked statuses. */
function HourBars({ hours }: { hours: Counts[] }) {
  const highest = Math.max(1, ...hours.map((counts) => STATUSES.reduce((sum, status) => sum + counts[status], 0)));
  const width = WIDTH / hours.length;
  return (
    <>
      {hours.map((counts, hour) => {
        let top = HEIGHT;
        return STATUSES.filter((status) => counts[status] > 0).map((status) => {
          const height = counts[status] / highest * HEIGHT;
          top -= height;
          return (
            <rect
              key={`${hour} ${status}`}
              className='runs-mark'
              data-status={status}
              x={hour * width + 1}
              y={top}
              width={width - 2}
              height={height}
              rx={1.5}
            />
          );
        });
      })}
      <line className='runs-line' x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <Times />
    </>
  );
}

/** One point for each ended run; the longer it took, the higher. */
function DurationPoints({ runs, now }: { runs: ChartedRun[]; now: number }) {
  const { points, lines } = chartDurations(runs, now);
  const y = (share: number) => HEIGHT - share * (HEIGHT - 14);
  return (
    <>
      {lines.map((line) => (
        <g key={line.ms}>
          <line className='runs-line' x1={0} x2={WIDTH} y1={y(line.y)} y2={y(line.y)} />
          <text className='runs-axis' x={0} y={y(line.y) - 3}>{describeDuration(line.ms)}</text>
        </g>
      ))}
      {points.map((point) => (
        <circle
          key={point.id}
          className='runs-mark'
          data-status={point.status}
          cx={Math.min(WIDTH - 4, Math.max(4, point.x * WIDTH))}
          cy={y(point.y)}
          r={3.5}
        />
      ))}
      <Times />
    </>
  );
}

const Legend = ({ counts }: { counts: Counts }) => (
  <Group gap='md' component='ul' className='console-plain-list'>
    {STATUSES.filter((status) => counts[status] > 0).map((status: RunStatus) => (
      <Text component='li' size='xs' key={status}>
        <span className='runs-swatch' data-status={status} /> {counts[status]} {status}
      </Text>
    ))}
  </Group>
);

/** The last day of the filtered runs, in every status. */
export function DayCharts({ filter: { flow, deployment, schedule, webhook } }: { filter: RunSearch }) {
  const { db } = useApi();
  const filter = { flow, deployment, schedule, webhook };
  const { data: runs, error, dataUpdatedAt } = useQuery({
    queryKey: ['runs', 'last day', filter],
    queryFn: ({ signal }) => readLastDay(db, filter, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  if (runs === undefined) return <ErrorAlert error={error} />;
  if (runs.length === 0) return null;
  const counts = countByStatus(runs);
  const amount = runs.length === RUNS_CHARTED ? `the newest ${RUNS_CHARTED} runs` : 'all runs';
  return (
    <Stack gap='xs' component='section' aria-label='The last day'>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p='sm' component='figure' m={0}>
          <Title order={2} size='h6' mb='xs'>Runs of the last day</Title>
          <svg
            className='runs-chart'
            viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
            role='img'
            aria-label={`By hour, ${amount} of the last day: ${describeCounts(counts)}`}
          >
            <HourBars hours={countByHour(runs, dataUpdatedAt)} />
          </svg>
          <Legend counts={counts} />
        </Paper>
        <Paper withBorder p='sm' component='figure' m={0}>
          <Title order={2} size='h6' mb='xs'>How long they took</Title>
          <svg
            className='runs-chart'
            viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
            role='img'
            aria-label='A point for each run that has ended, by its start and its duration'
          >
            <DurationPoints runs={runs} now={dataUpdatedAt} />
          </svg>
          {schedule === undefined && webhook === undefined && <DayFigures filter={filter} />}
        </Paper>
      </SimpleGrid>
      {runs.length === RUNS_CHARTED && (
        <Text size='xs' c='dimmed'>The charts show the newest {RUNS_CHARTED} runs of the last day.</Text>
      )}
    </Stack>
  );
}
