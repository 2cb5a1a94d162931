import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { DialogButton } from './dialog_button.tsx';
import { ErrorAlert } from './error_alert.tsx';

export interface ConfirmButtonProps extends ButtonProps {
  /** What the button says, and the one that confirms. */
  label: string;
  /** Names what it is for, where the page has more than one such button. */
  describedAs?: string;
  /** What the question is about, and what is lost. */
  question: ReactNode;
  /** Does it. What it throws is shown, and the question stays. */
  onConfirm: () => Promise<unknown>;
}

/** A button for what can't be undone: it asks first. */
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
