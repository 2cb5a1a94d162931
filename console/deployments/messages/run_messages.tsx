import { Anchor, Text } from '@mantine/core';
import { useApi } from '../../shared/api.tsx';
import { SecretDialog } from '../../shared/dialogs/secret_dialog.tsx';
import { Section } from '../../shared/page/section.tsx';
import { Deliveries } from './deliveries.tsx';
import type { DeploymentDetails } from '../deployment.ts';

/** A button that makes the secret for signing the messages of all deployments of a flow. */
function NewSecret({ flowId }: { flowId: number }) {
  const { db } = useApi();
  const rotate = async () => {
    const { data } = await db.rpc('rotate_on_end_secret', { flow_id: flowId }).throwOnError();
    // SAFETY: the function returns {secret}.
    return (data as { secret: string }).secret;
  };
  return (
    <SecretDialog title='New secret' secretLabel='Secret' variant='default' make={rotate}>
      <Text>
        The secret signs the messages of all deployments of this flow. For 24 hours messages are also signed with the
        former secret, so that you have time to give the new one to your server.
      </Text>
    </SecretDialog>
  );
}

const EXPLANATION = 'https://www.standardwebhooks.com';

/** The webhook address, the secret of the messages, and the state of each message. */
export function RunMessages({ deployment: { id, entrypoint, on_end } }: { deployment: DeploymentDetails }) {
  return (
    <Section title='Messages about runs' aside={<NewSecret flowId={entrypoint} />}>
      {on_end === null
        ? (
          <Text size='sm'>
            No messages are sent about runs that start now. Set a webhook address in the settings to get a message at
            the end of each run.
          </Text>
        )
        : (
          <Text size='sm' className='console-text'>
            These events of runs are posted to {on_end.url}: {on_end.events.join(', ')}.
          </Text>
        )}
      <Text size='sm' c='dimmed'>
        Messages are signed by the rules of{' '}
        <Anchor href={EXPLANATION} rel='noreferrer' underline='always'>Standard Webhooks</Anchor>: verify them with the
        secret. An address that answers 410 Gone is taken out of the settings.
      </Text>
      <Deliveries deploymentId={id} />
    </Section>
  );
}
