import { Text } from '@mantine/core';
import type { ConnectionRow } from 'flow-deployments-client';
import { When } from '../shared/time/when.tsx';

/** The time and the result of a connection's last test. */
export function LastTest({ row: { last_tested_at, last_test_status } }: { row: ConnectionRow }) {
  if (last_tested_at === null) return <Text c='dimmed' size='sm'>not since it was stored</Text>;
  return (
    <Text size='sm'>
      {last_test_status === null ? 'No answer' : `Status ${last_test_status}`}, <When at={last_tested_at} />
    </Text>
  );
}
