import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';

/** A button that gives a wallet another name. */
export function RenameWallet({ id, name, title }: { id: number; name: string; title: string }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const [typed, setTyped] = useState(name);
  const rename = useMutation({
    mutationFn: async () => {
      await db.from('wallets').update({ name: typed }).eq('id', id).throwOnError();
      await queries.invalidateQueries({ queryKey: ['wallets'] });
    },
    onSuccess: close,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <>
      <Button variant='default' size='xs' aria-label={`Rename ${title}`} onClick={open}>Rename</Button>
      <Modal opened={isOpen} onClose={close} title='Rename' centered>
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label='Name'
              value={typed}
              maxLength={200}
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <ErrorAlert error={rename.error} />
            <Group justify='flex-end'>
              <Button type='submit' loading={rename.isPending}>Save</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
