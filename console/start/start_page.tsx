import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type DeploymentDescription, type DeploymentTarget, FlowError } from 'flow-deployments-client';
import { useState } from 'react';
import { useSession } from '../session/session_context.tsx';
import { SignInPage } from '../session/sign_in_page.tsx';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { Page } from '../shared/page/page.tsx';
import { Fees } from './fees.tsx';
import { Frame } from './frame.tsx';
import { NothingToStart } from './nothing_to_start.tsx';
import { Starting } from './starting.tsx';

/**
 * The public key with which the page reads the deployment until the visitor has chosen a key. It belongs to the system
 * program, so nobody can sign with it.
 */
const NOBODY = '11111111111111111111111111111111';

/** Tests whether the server reports a missing deployment, or a malformed id. */
const isMissing = (error: unknown): boolean =>
  error instanceof FlowError && (error.status === 404 || error.status === 400);

const About = ({ deployment }: { deployment: DeploymentDescription }) => (
  <Stack gap='sm'>
    {deployment.description !== '' && <Text className='console-text'>{deployment.description}</Text>}
    <Group gap='xs'>
      {deployment.uses_solana && <Badge variant='default' tt='none'>{deployment.cluster}</Badge>}
      {deployment.output_instructions && (
        <Badge variant='default' tt='none'>returns its transaction instead of sending it</Badge>
      )}
    </Group>
    <Fees fees={deployment.fees} />
  </Stack>
);

/** A page to share: the description of a deployment, its inputs, its start, and the progress of the run. */
export function StartPage({ target }: { target: DeploymentTarget }) {
  const address = JSON.stringify(target);
  const { flows } = useApi();
  const session = useSession();
  const [isSigningIn, setSigningIn] = useState(false);
  const isUser = typeof session === 'object';
  const { data: deployment, error, isPending, refetch } = useQuery({
    queryKey: ['start', address, isUser ? session.userId : 'nobody'],
    queryFn: ({ signal }) => flows.read(target, { signal, ...(!isUser && { publicKey: NOBODY }) }),
  });
  if (isPending) return <Loading />;
  // A stranger learns the same of a page for users as of one that does not exist.
  if (!isUser && (isSigningIn || isMissing(error))) return <SignInPage reason='Sign in to open this page.' />;
  if (isMissing(error)) return <NothingToStart />;
  return (
    <Frame>
      <Page title={deployment?.name || 'Start'}>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {deployment && (
          <>
            <About deployment={deployment} />
            <Card withBorder padding='lg'>
              <Stack>
                <Starting deployment={deployment} address={address} onSignIn={() => setSigningIn(true)} />
              </Stack>
            </Card>
          </>
        )}
      </Page>
    </Frame>
  );
}
