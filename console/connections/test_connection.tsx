import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConnectionRow } from 'flow-deployments-client';
import { type FormEvent, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Section } from '../shared/page/section.tsx';

/** Explains the HTTP status of a test in words. */
function meaningOf(status: number): { isGood: boolean; text: string } {
  if (status < 300) return { isGood: true, text: 'The server has accepted the request.' };
  if (status < 400) return { isGood: false, text: 'The server redirects to another address. Test that address.' };
  if (status === 401 || status === 403) return { isGood: false, text: 'The server does not accept the secret here.' };
  if (status === 404) return { isGood: false, text: 'The server has nothing at this address.' };
  return { isGood: false, text: 'The server did not accept the request.' };
}

function Answer({ status }: { status: number }) {
  const { isGood, text } = meaningOf(status);
  return (
    <Alert color={isGood ? 'teal' : 'yellow'} role='status' title={`The answer has status ${status}`}>
      <Text size='sm'>{text}</Text>
    </Alert>
  );
}

/** A form that makes one request with the connection, and shows the status of the answer. */
export function TestConnection({ row: { name, hosts } }: { row: ConnectionRow }) {
  const { flows } = useApi();
  const [url, setUrl] = useState(`https://${hosts[0] ?? ''}`);
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => flows.testConnection(name, url),
    onSettled: () => queries.invalidateQueries({ queryKey: ['connections'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate();
  };
  return (
    <Section title='Test'>
      <form onSubmit={submit}>
        <Stack gap='sm'>
          <Group align='flex-end'>
            <TextInput
              label='URL'
              description='One GET request, with the secret, to a URL of the hosts. Only the status of the answer is kept.'
              required
              type='url'
              flex='1 1 16rem'
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
            <Button type='submit' variant='default' loading={test.isPending}>Test</Button>
          </Group>
          <ErrorAlert error={test.error} />
          {test.data !== undefined && !test.isPending && <Answer status={test.data} />}
        </Stack>
      </form>
    </Section>
  );
}
