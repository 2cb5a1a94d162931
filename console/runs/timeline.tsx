import { Anchor, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { describeDuration } from '../shared/run/duration.ts';
import { stateOf } from '../shared/run/node_states.ts';
import type { ShownExecution } from '../shared/run/use_live_run.ts';

/** The most executions that are shown at once. */
const SHOWN = 50;

interface TimelineProps {
  executions: readonly ShownExecution[];
  titles: ReadonlyMap<string, string>;
  /** The end of the run; null while it is running. */
  endTime: string | null;
  onSelect: (nodeId: string) => void;
}

const BAR_STATES: Record<string, string> = {
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  waiting: 'waiting',
};

/** Returns the start of the first execution, and the time from there to the end of the last execution. */
function spanOf(executions: readonly ShownExecution[], now: number): { from: number; length: number } {
  const from = executions.reduce((least, { start_time }) => Math.min(least, Date.parse(start_time)), Infinity);
  const to = executions.reduce(
    (most, { end_time }) => Math.max(most, end_time === null ? now : Date.parse(end_time)),
    -Infinity,
  );
  return { from, length: Math.max(1, to - from) };
}

/**
 * Returns the present time in milliseconds since 1970, and updates each second. If `still` is given, always returns
 * `still`.
 */
function useNow(still: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (still !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [still]);
  return still ?? now;
}

/** The executions of nodes on one time line, with their starts and durations. */
export function Timeline({ executions, titles, endTime, onSelect }: TimelineProps) {
  const hasEnded = endTime !== null;
  // An execution without an end time of its own ended when the run ended.
  const now = useNow(hasEnded ? Date.parse(endTime) : undefined);
  const [amount, setAmount] = useState(SHOWN);
  if (executions.length === 0) {
    return <Text size='sm' c='dimmed'>{hasEnded ? 'No node began.' : 'No node has begun yet.'}</Text>;
  }
  const { from, length } = spanOf(executions, now);
  const percent = (ms: number) => `${Math.min(100, Math.max(0, ms / length * 100))}%`;
  return (
    <>
      <ol className='runs-timeline' aria-label='Executions of nodes, by their starts'>
        {executions.slice(0, amount).map((execution) => {
          const { node_id, times, start_time, end_time, attempt, is_taken_over } = execution;
          const state = stateOf(execution, hasEnded);
          const start = Date.parse(start_time);
          const ms = (end_time === null ? Math.max(start, now) : Date.parse(end_time)) - start;
          return (
            <li key={`${node_id} ${times}`}>
              <Anchor component='button' type='button' size='sm' ta='left' truncate onClick={() => onSelect(node_id)}>
                {titles.get(node_id) ?? node_id}
                {times > 0 && ` #${times}`}
              </Anchor>
              <span className='runs-track'>
                <span
                  className='runs-bar'
                  data-status={BAR_STATES[state] ?? 'stopped'}
                  title={`${state}${is_taken_over ? ', taken over' : ''}, ${
                    describeDuration(start - from)
                  } after the first`}
                  style={{ left: `min(${percent(start - from)}, calc(100% - 3px))`, width: percent(ms) }}
                />
              </span>
              <Text span size='xs' c='dimmed'>
                <span className='console-hidden'>{state}</span>
                {end_time === null && !hasEnded ? state : describeDuration(ms)}
                {attempt > 1 && `, attempt ${attempt}`}
              </Text>
            </li>
          );
        })}
      </ol>
      {executions.length > amount && (
        <Group>
          <Button size='xs' variant='default' onClick={() => setAmount(amount + SHOWN)}>
            Show more of {executions.length}
          </Button>
        </Group>
      )}
    </>
  );
}
