import { Code, Group, List, Stack, Text } from '@mantine/core';
import type { ConnectionRow } from 'flow-deployments-client';
import { Section } from '../shared/page/section.tsx';
import { When } from '../shared/time/when.tsx';
import { describeKind } from './kinds.ts';
import { LastTest } from './last_test.tsx';

/** What a connection sends and to which hosts, and when it was stored, used and tested. */
export const ConnectionFacts = ({ row }: { row: ConnectionRow }) => (
  <Section title='What it sends, and where'>
    <Stack gap='xs'>
      <Text size='sm' className='console-text'>{describeKind(row)}, to:</Text>
      <List size='sm'>
        {row.hosts.map((host) => (
          <List.Item key={host}>
            <Code>{host}</Code>
          </List.Item>
        ))}
      </List>
      <Text size='sm' c='dimmed'>
        Stored <When at={row.updated_at} />
        {row.last_used_at === null ? '. No run has used it yet.' : (
          <>
            , last used by a run <When at={row.last_used_at} />.
          </>
        )}
      </Text>
      <Group gap='xs'>
        <Text size='sm'>Last test:</Text>
        <LastTest row={row} />
      </Group>
    </Stack>
  </Section>
);
