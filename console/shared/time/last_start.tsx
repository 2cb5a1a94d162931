import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { When } from './when.tsx';

interface LastStartProps {
  at: string | null;
  flowRunId: string | null;
  /** The schedule or webhook that starts the runs. A link leads to all runs that it has started. */
  of: { schedule: string } | { webhook: string };
}

/** Shows when a schedule or a webhook last started a run. */
export const LastStart = ({ at, flowRunId, of }: LastStartProps) =>
  at === null || flowRunId === null
    ? <Text span size='sm' c='dimmed'>never</Text>
    : (
      <Group gap='xs' display='inline-flex'>
        <Anchor component={Link} href={`/runs/${flowRunId}`} size='sm'>
          <When at={at} />
        </Anchor>
        <Anchor component={Link} href={`/runs?${new URLSearchParams(of)}`} size='sm'>All runs</Anchor>
      </Group>
    );
