import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { When } from './when.tsx';

/** When something last started a run, which it leads to. */
export const LastStart = ({ at, flowRunId }: { at: string | null; flowRunId: string | null }) =>
  at === null || flowRunId === null
    ? <Text span size='sm' c='dimmed'>never</Text>
    : (
      <Anchor component={Link} href={`/runs/${flowRunId}`} size='sm'>
        <When at={at} />
      </Anchor>
    );
