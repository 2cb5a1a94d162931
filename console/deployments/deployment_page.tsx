import { Anchor, Code, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/confirm_button.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { Loading } from '../shared/loading.tsx';
import { NotFoundPage } from '../shared/not_found_page.tsx';
import { Page } from '../shared/page.tsx';
import { When } from '../shared/when.tsx';
import { Addresses } from './addresses.tsx';
import { Comparison } from './comparison.tsx';
import { type DeploymentDetails, deploymentQuery, deploymentTitle, flowTitle } from './deployment.ts';
import { Graphs } from './graphs.tsx';
import { RunMessages } from './run_messages.tsx';
import { SettingsForm } from './settings_form.tsx';
import { Tags } from './tags.tsx';

function DeleteDeployment({ deployment }: { deployment: DeploymentDetails }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmButton
      label='Delete'
      question='Its tags go with it, and nobody can start it again. The runs that it has started stay.'
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
      Flow: <Anchor component={Link} href={`/flows/${deployment.entrypoint}`}>{flowTitle(deployment)}</Anchor>
    </Text>
    <Text size='sm'>
      Deployed <When at={deployment.created_at} />
    </Text>
    <Anchor component={Link} href={`/runs?deployment=${deployment.id}`} size='sm'>Its runs</Anchor>
    <Code className='console-text'>{deployment.id}</Code>
  </Group>
);

/** A deployment: its settings, tags, addresses and frozen graphs, and a comparison with other deployments. */
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
      {deployment !== undefined && (
        <>
          <Facts deployment={deployment} />
          <Tags deployment={deployment} />
          <SettingsForm deployment={deployment} />
          <RunMessages deployment={deployment} />
          <Addresses deployment={deployment} />
          <Graphs deployment={deployment} />
          <Comparison deployment={deployment} />
        </>
      )}
    </Page>
  );
}
