import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { SecretOnce } from './secret_once.tsx';

/** A button that makes an API key, and shows it this once. */
export function NewApiKey() {
  const { db } = useApi();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: async () => {
      const { data } = await db.rpc('create_api_key', { name }).throwOnError();
      await queries.invalidateQueries({ queryKey: ['settings', 'api_keys'] });
      // SAFETY: the function answers {id, name, prefix, created_at, key}.
      return (data as { key: string }).key;
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <>
      <Button
        leftSection={<Icon name='plus' />}
        onClick={() => {
          make.reset();
          setName('');
          open();
        }}
      >
        New API key
      </Button>
      <Modal opened={isOpen} onClose={close} title='New API key' centered closeOnClickOutside={make.data === undefined}>
        {make.data === undefined
          ? (
            <form onSubmit={submit}>
              <Stack>
                <TextInput
                  label='Name'
                  description='Who uses it, so that you know it again.'
                  required
                  maxLength={100}
                  value={name}
                  data-autofocus
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <ErrorAlert error={make.error} />
                <Group justify='flex-end'>
                  <Button type='submit' loading={make.isPending}>Make</Button>
                </Group>
              </Stack>
            </form>
          )
          : <SecretOnce label='API key' secret={make.data} onDone={close} />}
      </Modal>
    </>
  );
}
