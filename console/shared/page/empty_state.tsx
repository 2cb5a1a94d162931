import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shown in place of an empty list, with a hint about the next step. */
export const EmptyState = ({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) => (
  <Center className='console-empty' p='xl'>
    <Stack align='center' gap='xs' maw={460}>
      <Title order={2} size='h4' ta='center'>{title}</Title>
      <Text c='dimmed' ta='center' component='div'>{children}</Text>
      {action}
    </Stack>
  </Center>
);
