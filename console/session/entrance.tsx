import { Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Logo } from '../shared/logo.tsx';

interface EntranceProps {
  children: ReactNode;
  error: unknown;
  notice?: string | undefined;
  /** The buttons of the form. */
  actions: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/** The frame of the forms before the console: signing in, and choosing a new password. */
export const Entrance = ({ children, error, notice, actions, onSubmit }: EntranceProps) => (
  <Center component='main' mih='100dvh' p='md'>
    <Card withBorder shadow='sm' padding='xl' w='100%' maw={400}>
      <form onSubmit={onSubmit}>
        <Stack>
          <Group gap='sm'>
            <Logo />
            <Title order={1} size='h3'>Flow console</Title>
          </Group>
          {children}
          <ErrorAlert error={error} />
          <Text role='status' size='sm' className='console-text'>{notice}</Text>
          {actions}
        </Stack>
      </form>
    </Card>
  </Center>
);
