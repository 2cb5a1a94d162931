import { Anchor, Code, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/dialogs/confirm_button.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { When } from '../shared/time/when.tsx';
import { type DeploymentDetails, deploymentQuery, deploymentTitle, flowTitle } from './deployment.ts';
import { NewerNotice } from './newer_notice.tsx';
import { useSettings } from './settings/use_settings.ts';
import { DeploymentTabs } from './tabs.tsx';

function DeleteDeployment({ deployment }: { deployment: DeploymentDetails }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmButton
      label='Delete'
      question='Its tags are deleted, too, and nobody can start it again. Its runs stay.'
      onConfirm={async () => {
        await db.from('flow_deployments').delete().eq('id', deployment.id).throwOnError();
        navigate(`/deployments?flow=${deployment.entrypoint}`);
        await queries.invalidateQueries({ queryKey: ['deployments'] });
        await queries.invalidateQueries({ queryKey: ['flows'] });
      }}
    />
  );
}

const Facts = ({ deployment }: { deployment: DeploymentDetails }) => (
  <Group gap='md'>
    <Text size='sm'>
      Flow:{' '}
      <Anchor component={Link} href={`/flows/${deployment.entrypoint}`} underline='always'>
        {flowTitle(deployment)}
      </Anchor>
    </Text>
    <Text size='sm'>
      Deployed <When at={deployment.created_at} />
    </Text>
    <Anchor component={Link} href={`/runs?deployment=${deployment.id}`} size='sm'>Its runs</Anchor>
    <Code className='console-text'>{deployment.id}</Code>
  </Group>
);

function Loaded({ deployment }: { deployment: DeploymentDetails }) {
  const draft = useSettings(deployment);
  return (
    <>
      <Facts deployment={deployment} />
      <NewerNotice deployment={deployment} />
      <DeploymentTabs deployment={deployment} draft={draft} />
    </>
  );
}

/** A deployment: a form to start it, its triggers, settings, messages and versions, each in a tab. */
export default function DeploymentPage({ id }: { id: string }) {
  const { data: deployment, error, isPending, refetch } = useQuery(deploymentQuery(useApi(), id));
  if (isPending) return <Loading />;
  if (deployment === null) return <NotFoundPage what='deployment' />;
  return (
    <Page
      title={deployment === undefined ? 'Deployment' : deploymentTitle(deployment)}
      parents={[{ title: 'Deployments', href: '/deployments' }]}
      actions={deployment && <DeleteDeployment deployment={deployment} />}
    >
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {deployment !== undefined && <Loaded deployment={deployment} />}
    </Page>
  );
}
