import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ErrorAlert } from './error_alert.tsx';
import { SecretOnce } from './secret_once.tsx';

export interface SecretDialogProps extends ButtonProps {
  /** The button, and the heading of the dialog. */
  title: string;
  /** Names the secret, such as `URL`. */
  secretLabel: string;
  /** What is asked before, such as the fields of what is made; nothing is shown again when the dialog is opened again. */
  children: ReactNode;
  /** Makes the secret. What it throws is shown, and the fields stay. */
  make: () => Promise<string>;
  /** Called when the dialog is opened. */
  onOpen?: () => void;
  dialogSize?: 'md' | 'lg';
}

/** A button that makes a secret, and shows it this once. */
export function SecretDialog(
  { title, secretLabel, children, make, onOpen, dialogSize = 'md', ...button }: SecretDialogProps,
) {
  const [isOpen, { open, close }] = useDisclosure();
  const making = useMutation({ mutationFn: make });
  const isMade = making.data !== undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <>
      <Button
        {...button}
        onClick={() => {
          making.reset();
          onOpen?.();
          open();
        }}
      >
        {title}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered size={dialogSize} closeOnClickOutside={!isMade}>
        {isMade ? <SecretOnce label={secretLabel} secret={making.data} onDone={close} /> : (
          <form onSubmit={submit}>
            <Stack>
              {children}
              <ErrorAlert error={making.error} />
              <Group justify='flex-end'>
                <Button type='submit' loading={making.isPending}>Make</Button>
              </Group>
            </Stack>
          </form>
        )}
      </Modal>
    </>
  );
}
