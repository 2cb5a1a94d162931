import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A part of a page. For screen readers, it is a region, and its heading is the name of the region. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component='section' gap='sm' aria-labelledby={id}>
      <Group justify='space-between'>
        <Title order={2} size='h4' id={id}>{title}</Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
