import { Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { DialogButton } from './dialog_button.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { FieldFaults } from '../errors/field_faults.tsx';
import { SecretOnce } from './secret_once.tsx';

interface SecretDialogProps extends ButtonProps {
  /** The text of the button, and the heading of the dialog. */
  title: string;
  /** Names the secret, such as `URL`. */
  secretLabel: string;
  /** The fields that are shown until the secret is made. When the dialog opens again, the fields are reset. */
  children: ReactNode;
  /** Makes the secret. An error is shown, and the fields stay. */
  make: () => Promise<string>;
  /** Called when the dialog is opened. */
  onOpen?: () => void;
  dialogSize?: 'md' | 'lg';
}

/** A button that makes a secret and shows it once. */
export function SecretDialog(
  { title, secretLabel, children, make, onOpen, dialogSize = 'md', ...button }: SecretDialogProps,
) {
  const making = useMutation({ mutationFn: make });
  const isMade = making.data !== undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  const begin = () => {
    making.reset();
    onOpen?.();
  };
  return (
    <DialogButton
      variant='filled'
      {...button}
      label={title}
      title={title}
      dialogSize={dialogSize}
      closeOnClickOutside={!isMade}
      onOpen={begin}
    >
      {(close) =>
        isMade ? <SecretOnce label={secretLabel} secret={making.data} onDone={close} /> : (
          <form onSubmit={submit}>
            <Stack>
              <FieldFaults error={making.error}>{children}</FieldFaults>
              <ErrorAlert error={making.error} />
              <Group justify='flex-end'>
                <Button type='submit' loading={making.isPending}>Make</Button>
              </Group>
            </Stack>
          </form>
        )}
    </DialogButton>
  );
}
