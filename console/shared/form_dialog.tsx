import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ErrorAlert } from './error_alert.tsx';

export interface FormDialogProps extends ButtonProps {
  /** What the button says. */
  label: string;
  /** The heading of the dialog, and the name of the button. */
  title: string;
  children: ReactNode;
  /** Stores what the fields hold. What it throws is shown, and the dialog stays. */
  save: () => Promise<unknown>;
  /** Called when the dialog is opened, to begin with what is stored. */
  onOpen: () => void;
}

/** A button that opens the fields of something, to change it. */
export function FormDialog({ label, title, children, save, onOpen, ...button }: FormDialogProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const saving = useMutation({ mutationFn: save, onSuccess: close });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <>
      <Button
        variant='default'
        {...button}
        aria-label={title}
        onClick={() => {
          saving.reset();
          onOpen();
          open();
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered size='lg' classNames={{ title: 'console-heading' }}>
        <form onSubmit={submit}>
          <Stack>
            {children}
            <ErrorAlert error={saving.error} />
            <Group justify='flex-end'>
              <Button variant='default' onClick={close}>Cancel</Button>
              <Button type='submit' loading={saving.isPending}>Save</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
