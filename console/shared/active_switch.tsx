import { Stack, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorAlert } from './error_alert.tsx';

export interface ActiveSwitchProps {
  /** The name of the row, for screen readers. */
  label: string;
  isActive: boolean;
  /** Stores the change, and refreshes the page. An error is shown. */
  store: (isActive: boolean) => Promise<unknown>;
}

/** Switches a row of a table on and off, at once. */
export function ActiveSwitch({ label, isActive, store }: ActiveSwitchProps) {
  const change = useMutation({ mutationFn: store });
  return (
    <Stack gap='xs'>
      <Switch
        aria-label={`${label} is active`}
        checked={isActive}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <ErrorAlert error={change.error} />
    </Stack>
  );
}
