import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { DialogButton } from './dialog_button.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';

interface ConfirmButtonProps extends ButtonProps {
  /** The text of the button, and of the button with which the user confirms the action. */
  label: string;
  /** Names the object to which the action applies, if the page has more than one such button. */
  describedAs?: string;
  /** The question, with the object and the consequences. */
  question: ReactNode;
  /** Carries out the action. An error is shown, and the question stays open. */
  onConfirm: () => Promise<unknown>;
}

/** A button for an action that can't be undone. It asks before it acts. */
export function ConfirmButton({ label, describedAs, question, onConfirm, ...button }: ConfirmButtonProps) {
  const action = useMutation({ mutationFn: onConfirm });
  const title = describedAs === undefined ? label : `${label} ${describedAs}`;
  return (
    <DialogButton {...button} label={label} title={title} onOpen={action.reset}>
      {(close) => (
        <Stack>
          <Text component='div' className='console-text'>{question}</Text>
          <ErrorAlert error={action.error} />
          <Group justify='flex-end'>
            <Button variant='default' onClick={close} data-autofocus>Cancel</Button>
            <Button
              color='red'
              loading={action.isPending}
              onClick={() => action.mutate(undefined, { onSuccess: close })}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      )}
    </DialogButton>
  );
}
