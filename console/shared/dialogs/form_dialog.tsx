import { Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { DialogButton } from './dialog_button.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { FieldFaults } from '../errors/field_faults.tsx';

interface FormDialogProps extends ButtonProps {
  /** The text of the button. */
  label: string;
  /** The heading of the dialog, and the name of the button. */
  title: string;
  children: ReactNode;
  /** Stores the contents of the fields. An error is shown, and the dialog stays open. */
  save: () => Promise<unknown>;
  /** Called when the dialog opens, to load the stored values. */
  onOpen: () => void;
}

/** A button that opens a dialog with fields, to change an object. */
export function FormDialog({ label, title, children, save, onOpen, ...button }: FormDialogProps) {
  const saving = useMutation({ mutationFn: save });
  const submit = (event: FormEvent, close: () => void) => {
    event.preventDefault();
    saving.mutate(undefined, { onSuccess: close });
  };
  const begin = () => {
    saving.reset();
    onOpen();
  };
  return (
    <DialogButton {...button} label={label} title={title} dialogSize='lg' onOpen={begin}>
      {(close) => (
        <form onSubmit={(event) => submit(event, close)}>
          <Stack>
            <FieldFaults error={saving.error}>{children}</FieldFaults>
            <ErrorAlert error={saving.error} />
            <Group justify='flex-end'>
              <Button variant='default' onClick={close}>Cancel</Button>
              <Button type='submit' loading={saving.isPending}>Save</Button>
            </Group>
          </Stack>
        </form>
      )}
    </DialogButton>
  );
}
