import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { guestKey } from '../shared/wallet/guest_key.ts';

/** A button for visitors without a wallet and an account. */
export function GuestButton({ choose }: { choose: (publicKey: string) => void }) {
  const continuing = useMutation({ mutationFn: async () => choose((await guestKey()).publicKey) });
  return (
    <Stack gap={4}>
      <Button fullWidth size='md' loading={continuing.isPending} onClick={() => continuing.mutate()}>
        Continue as a guest
      </Button>
      <Text size='sm' c='dimmed'>
        This browser makes a key and keeps it: the key shows that later visits with this browser are yours.
      </Text>
      <ErrorAlert error={continuing.error} />
    </Stack>
  );
}
