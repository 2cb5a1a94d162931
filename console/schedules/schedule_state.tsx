import { Alert, Group, Text } from '@mantine/core';
import { LastStart } from '../shared/time/last_start.tsx';
import { When } from '../shared/time/when.tsx';
import type { Schedule } from './schedule.ts';

/** The next start, the last start, and the reason if the last planned time started no run. */
export const ScheduleState = ({ row }: { row: Schedule }) => (
  <>
    <Group gap='md'>
      <Text size='sm'>
        Next start: {row.next_start_at === null ? 'none, it is not active' : <When at={row.next_start_at} />}
      </Text>
      <Text size='sm' component='div'>
        Last start: <LastStart at={row.last_start_at} flowRunId={row.last_flow_run_id} of={{ schedule: row.id }} />
      </Text>
    </Group>
    {row.last_error !== null && (
      <Alert color='red' title='The last planned time started no run'>
        <Text size='sm' className='console-text'>{row.last_error}</Text>
      </Alert>
    )}
  </>
);
