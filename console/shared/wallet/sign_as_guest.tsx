import { Button } from '@mantine/core';
import { base58, base64 } from '@scure/base';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { PendingSignatureRequest } from 'flow-deployments-client';
import { useApi } from '../api.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { readGuestKey } from './guest_key.ts';

/** Returns true if the guest of this browser has the key that must sign the request. */
export function useIsGuest(pubkey: string): boolean {
  const { data } = useQuery({
    queryKey: ['guest key'],
    queryFn: async () => (await readGuestKey())?.publicKey ?? null,
  });
  return data === pubkey;
}

/** A button that signs a request with the guest's key. */
export function SignAsGuest(
  { request, onSigned }: { request: PendingSignatureRequest; onSigned: () => Promise<void> },
) {
  const { flows } = useApi();
  const sign = useMutation({
    mutationFn: async () => {
      const key = await readGuestKey();
      if (key === undefined) throw new Error("This browser no longer has the guest's key.");
      const signature = await key.sign(new Uint8Array(base64.decode(request.message)));
      await flows.submitSignature(request.id, base58.encode(signature));
    },
    onSuccess: onSigned,
  });
  return (
    <>
      <ErrorAlert error={sign.error} />
      <Button loading={sign.isPending} onClick={() => sign.mutate()}>Sign as a guest</Button>
    </>
  );
}
