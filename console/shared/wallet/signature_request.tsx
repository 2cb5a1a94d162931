import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PendingSignatureRequest, RunReference } from 'flow-deployments-client';
import { useApi } from '../api.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { INBOX_KEY } from '../inbox/use_inbox.ts';
import { runKey } from '../use_run_events.ts';
import { ShortKey } from '../short_key.tsx';
import { Deadline } from '../time/deadline.tsx';
import { SignAsGuest, useIsGuest } from './sign_as_guest.tsx';
import { canSign, type SigningWallet, signWith, useBrowserWallets } from './browser_wallets.ts';

interface SignatureRequestProps {
  run: RunReference<object>;
  /** The id of the run. */
  runId: string;
  cluster: string;
}

function SignButtons({ request, cluster, onSigned }: {
  request: PendingSignatureRequest;
  cluster: string;
  onSigned: () => Promise<void>;
}) {
  const { flows } = useApi();
  const wallets = useBrowserWallets().filter(canSign);
  const sign = useMutation({
    mutationFn: async (wallet: SigningWallet) => {
      const { signature, newMessage } = await signWith(wallet, request, cluster);
      await flows.submitSignature(request.id, signature, { newMessage });
    },
    onSuccess: onSigned,
  });
  return (
    <Stack gap='sm'>
      <ErrorAlert error={sign.error} />
      {wallets.length === 0 && (
        <Text size='sm'>This browser has no wallet that signs transactions of Solana. Install one, or unlock it.</Text>
      )}
      <Group>
        {wallets.map((wallet, index) => (
          <Button
            key={`${wallet.name} ${index}`}
            loading={sign.isPending}
            onClick={() => sign.mutate(wallet)}
          >
            Sign with {wallet.name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

/**
 * Shows the signature request for which a run waits, with the wallets that can sign it. Shows nothing if the run waits
 * for no signature. The page must call `useRunEvents`, which updates this component.
 */
export function SignatureRequest({ run, runId, cluster }: SignatureRequestProps) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const { data: request, error } = useQuery({
    queryKey: [...runKey(runId), 'signature request'],
    queryFn: async ({ signal }): Promise<PendingSignatureRequest | null> => {
      for await (const request of flows.signatureRequests(run, { timeoutMs: 0, signal })) return request;
      return null;
    },
  });
  const isGuest = useIsGuest(request?.pubkey ?? '');
  if (request === undefined || request === null) return <ErrorAlert error={error} />;
  const onSigned = async () => {
    await Promise.all([runKey(runId), INBOX_KEY].map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  const expiresAt = new Date(request.time + request.timeout * 1_000).toISOString();
  return (
    <Alert color='yellow' title='A signature is needed' role='group'>
      <Stack gap='sm'>
        <Text size='sm' component='div' className='console-text'>
          The wallet <ShortKey value={request.pubkey} /> is asked to sign a transaction on {cluster}. Please sign by
          {' '}
          <Deadline at={expiresAt} />.
        </Text>
        {isGuest
          ? <SignAsGuest key={request.id} request={request} onSigned={onSigned} />
          : <SignButtons key={request.id} request={request} cluster={cluster} onSigned={onSigned} />}
      </Stack>
    </Alert>
  );
}
