import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { Address } from '../../shared/address.tsx';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { Section } from '../../shared/page/section.tsx';
import { useTargetDescription } from '../../shared/targets/start_target.ts';
import { startPageAddress } from '../../shared/start_page_address.ts';
import { type DeploymentDetails, tagsOfQuery } from '../deployment.ts';
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

/** The addresses of the start pages: for each tag that names the deployment now, and for this deployment only. */
function StartPages({ deployment: { id, entrypoint, start_permission } }: { deployment: DeploymentDetails }) {
  const { data: tags = [] } = useQuery(tagsOfQuery(useApi(), id));
  const sorted = tags.toSorted((a, b) => Number(b === 'latest') - Number(a === 'latest'));
  return (
    <Stack>
      <Text size='sm'>{PAGE_FOR[start_permission]}</Text>
      {sorted.map((tag) => (
        <Stack key={tag} gap={4}>
          <Address
            label={tag === 'latest' ? 'Start page' : `Start page of the tag ${tag}`}
            address={startPageAddress({ flow: entrypoint, tag })}
            isPage
          />
          <Text size='sm' c='dimmed'>
            {tag === 'latest'
              ? 'It always starts the newest deployment of the flow.'
              : 'It starts the deployment that has this tag.'}
          </Text>
        </Stack>
      ))}
      <Stack gap={4}>
        <Address label='Start page of this deployment only' address={startPageAddress({ id })} isPage />
        <Text size='sm' c='dimmed'>It starts this deployment, also after the next deploy.</Text>
      </Stack>
    </Stack>
  );
}

/** A form that starts the deployment, and the ways in which other people and programs can start it. */
export default function Overview({ deployment }: DeploymentTabProps) {
  const { id, start_permission } = deployment;
  const { data, error, isPending, refetch } = useTargetDescription({ flow: null, tag: null, deployment_id: id });
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
        <StartPages deployment={deployment} />
      </Section>
      {data && <Samples deploymentId={id} permission={start_permission} inputs={data.inputs} />}
    </>
  );
}
