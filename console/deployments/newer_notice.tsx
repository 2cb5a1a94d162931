import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { type DeploymentDetails, flowHasChangedQuery, newestQuery } from './deployment.ts';

/** Says that a newer deployment exists, and leads there. */
const NewerDeployment = ({ id, newest }: { id: string; newest: string }) => (
  <Alert color='blue' role='status' title='A newer deployment of this flow exists'>
    <Group gap='md'>
      <Text size='sm'>Starts of the flow by its tag latest use the newer one.</Text>
      <Button component={Link} href={`/deployments/${newest}`} size='xs' variant='default'>
        Open the newest deployment
      </Button>
      <Button
        component={Link}
        href={`/deployments/${newest}?tab=versions&compare=${id}`}
        size='xs'
        variant='default'
      >
        Show what has changed
      </Button>
    </Group>
  </Alert>
);

/** Says that the flow has changed since its newest deployment, and deploys it. */
function ChangedFlow({ entrypoint }: { entrypoint: number }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const deploy = useMutation({
    mutationFn: () => flows.deploy(entrypoint),
    onSuccess: async ({ deployment_id }) => {
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
      navigate(`/deployments/${deployment_id}`);
    },
  });
  return (
    <Alert color='yellow' role='status' title='The flow has changed since this deployment'>
      <Stack gap='xs'>
        <Group gap='md'>
          <Text size='sm'>
            A start here runs the flow as it was. A new deployment begins with the settings of the flow, not with those
            of this deployment.
          </Text>
          <Button size='xs' variant='default' loading={deploy.isPending} onClick={() => deploy.mutate()}>Deploy</Button>
          <Button component={Link} href={`/flows/${entrypoint}`} size='xs' variant='default'>Open the flow</Button>
        </Group>
        <ErrorAlert error={deploy.error} />
      </Stack>
    </Alert>
  );
}

/** Shown if a start of this deployment would not run what the flow is now. */
export function NewerNotice({ deployment }: { deployment: DeploymentDetails }) {
  const api = useApi();
  const { data: newest } = useQuery(newestQuery(api, deployment.entrypoint));
  const isNewest = newest === deployment.id;
  const { data: hasChanged } = useQuery({ ...flowHasChangedQuery(api, deployment.id), enabled: isNewest });
  if (newest === undefined || newest === null) return null;
  if (!isNewest) return <NewerDeployment id={deployment.id} newest={newest} />;
  return hasChanged === true ? <ChangedFlow entrypoint={deployment.entrypoint} /> : null;
}
