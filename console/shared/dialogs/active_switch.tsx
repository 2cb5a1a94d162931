import { Stack, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorAlert } from '../errors/error_alert.tsx';

interface ActiveSwitchProps {
  /** The name of the row, for screen readers. */
  label: string;
  isActive: boolean;
  /** Stores the change, and refreshes the page. The switch shows an error of this function. */
  store: (isActive: boolean) => Promise<unknown>;
}

/** A switch that turns a row of a table on or off, and stores each change at once. */
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
