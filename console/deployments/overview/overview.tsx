import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { Section } from '../../shared/page/section.tsx';
import { useTargetDescription } from '../../shared/targets/start_target.ts';
import { Address } from '../address.tsx';
import type { DeploymentTabProps } from '../tab_props.ts';
import { Samples } from './samples.tsx';
import { StartForm } from './start_form.tsx';

const WHO: Record<string, string> = {
  Owner: 'Only you may start it.',
  Authenticated: 'You and every user who has signed up may start it.',
  Anonymous: 'Anybody may start it, without an account.',
};

const PAGE_FOR: Record<string, string> = {
  Owner: 'Only you may start it there. Change who may start it before you give the address to others.',
  Authenticated: 'Every user who has signed up may start it there.',
  Anonymous: 'Anybody may start it there, without an account.',
};

/** A form that starts the deployment, and the ways in which other people and programs can start it. */
export default function Overview({ deployment: { id, start_permission } }: DeploymentTabProps) {
  const { data, error, isPending, refetch } = useTargetDescription({ flow: null, tag: null, deployment_id: id });
  const startPage = new URL(`${import.meta.env.BASE_URL}start/${id}`, window.location.href).href;
  return (
    <>
      <Section title='Start it'>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {isPending && <Loading label='Reading the inputs' />}
        {data && <StartForm deploymentId={id} inputs={data.inputs} />}
      </Section>
      <Section title='Who may start it'>
        <Text size='sm'>
          {WHO[start_permission]}{' '}
          <Anchor component={Link} href={`/deployments/${id}?tab=access`} size='sm' underline='always'>
            Change it
          </Anchor>
        </Text>
      </Section>
      <Section title='Where others start it'>
        <Stack gap={4}>
          <Address label='Start page' address={startPage} isPage />
          <Text size='sm' c='dimmed'>{PAGE_FOR[start_permission]}</Text>
        </Stack>
      </Section>
      {data && <Samples deploymentId={id} permission={start_permission} inputs={data.inputs} />}
    </>
  );
}
