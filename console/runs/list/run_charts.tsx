import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { describeDuration } from '../../shared/run/duration.ts';
import { shortTime, useDateFormat } from '../../shared/time/dates.ts';
import '../runs.css';
import { chartDurations, type Counts, countsOfParts, describeCounts } from './chart_data.ts';
import { Failures } from './failures.tsx';
import { readOverview, type RunOverview } from './find_runs.ts';
import { type RunSearch, STATUSES } from './run_filter.ts';

const REFRESH_MS = 15_000;
const WIDTH = 480;
const HEIGHT = 120;
/** The height below the bars and points, for the times. */
const FOOT = 18;

/** The times at which the charts begin and end. */
function Times({ overview: { since, until } }: { overview: RunOverview }) {
  const format = useDateFormat();
  return (
    <>
      <text className='runs-axis' x={0} y={HEIGHT + FOOT - 4}>{shortTime(new Date(since), format)}</text>
      <text className='runs-axis' x={WIDTH} y={HEIGHT + FOOT - 4} textAnchor='end'>
        {shortTime(new Date(until), format)}
      </text>
    </>
  );
}

/** A bar for each part of the period. In a bar, the numbers of runs with each status are stacked. */
function PartBars({ parts }: { parts: Counts[] }) {
  const highest = Math.max(
    1,
    ...parts.map((counts) => STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0)),
  );
  const width = WIDTH / parts.length;
  return (
    <>
      {parts.map((counts, part) => {
        let top = HEIGHT;
        return STATUSES.filter((status) => counts[status] !== undefined).map((status) => {
          const height = (counts[status] ?? 0) / highest * HEIGHT;
          top -= height;
          return (
            <rect
              key={`${part} ${status}`}
              className='runs-mark'
              data-status={status}
              x={part * width + 1}
              y={top}
              width={width - 2}
              height={height}
              rx={1.5}
            />
          );
        });
      })}
      <line className='runs-line' x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
    </>
  );
}

/** One point for each ended run. The longer the run took, the higher is its point. */
function DurationPoints({ overview }: { overview: RunOverview }) {
  const { points, lines } = chartDurations(overview);
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
    </>
  );
}

const Legend = ({ counts }: { counts: Counts }) => (
  <Group gap='md' component='ul' className='console-plain-list'>
    {STATUSES.filter((status) => counts[status] !== undefined).map((status) => (
      <Text component='li' size='xs' key={status}>
        <span className='runs-swatch' data-status={status} /> {counts[status]} {status}
      </Text>
    ))}
  </Group>
);

function Figures({ overview: { duration_ms: { p50, p95 } } }: { overview: RunOverview }) {
  if (p50 === null || p95 === null) return <Text size='xs' c='dimmed'>No run has ended.</Text>;
  return (
    <Text size='xs'>
      half took at most {describeDuration(p50)}, 95 of 100 at most {describeDuration(p95)}
    </Text>
  );
}

/** With fewer runs, the list says more than the charts. */
const LEAST_RUNS = 25;

/**
 * The number, the durations and the failures of the filtered runs. Without a period, shows the runs of the last day.
 */
export function RunCharts({ filter }: { filter: RunSearch }) {
  const { db } = useApi();
  const { data: overview, error } = useQuery({
    queryKey: ['runs', 'overview', filter],
    queryFn: ({ signal }) => readOverview(db, filter, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  if (overview === undefined || error !== null) return <ErrorAlert error={error} />;
  if (overview.runs < LEAST_RUNS) return <Failures failures={overview.failures} />;
  const period = filter.from === undefined && filter.until === undefined ? 'the last day' : 'the period';
  return (
    <Stack gap='lg' component='section' aria-label='Charts'>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p='sm' component='figure' m={0}>
          <Title order={2} size='h6' mb='xs'>Runs of {period}</Title>
          <svg
            className='runs-chart'
            viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
            role='img'
            aria-label={`Runs of ${period}, over time: ${describeCounts(overview.by_status)}`}
          >
            <PartBars parts={countsOfParts(overview)} />
            <Times overview={overview} />
          </svg>
          <Legend counts={overview.by_status} />
        </Paper>
        <Paper withBorder p='sm' component='figure' m={0}>
          <Title order={2} size='h6' mb='xs'>How long they took</Title>
          <svg
            className='runs-chart'
            viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
            role='img'
            aria-label='A point for each run that has ended, by its start and its duration'
          >
            <DurationPoints overview={overview} />
            <Times overview={overview} />
          </svg>
          <Figures overview={overview} />
        </Paper>
      </SimpleGrid>
      {!overview.is_complete && (
        <Text size='xs' c='dimmed'>The charts show the newest {overview.runs} runs of {period}.</Text>
      )}
      <Failures failures={overview.failures} />
    </Stack>
  );
}
