import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ChangedFlow } from './changed_flow.tsx';
import { type DeploymentDetails, flowHasChangedQuery, newestQuery } from './deployment.ts';

/** Says that a newer deployment exists, and links to it. */
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

/** A notice for a deployment that does not run the present flow: a newer deployment exists, or the flow has changed. */
export function NewerNotice({ deployment }: { deployment: DeploymentDetails }) {
  const api = useApi();
  const { data: newest } = useQuery(newestQuery(api, deployment.entrypoint));
  const isNewest = newest === deployment.id;
  const { data: hasChanged } = useQuery({ ...flowHasChangedQuery(api, deployment.id), enabled: isNewest });
  if (newest === undefined || newest === null) return null;
  if (!isNewest) return <NewerDeployment id={deployment.id} newest={newest} />;
  return hasChanged === true ? <ChangedFlow entrypoint={deployment.entrypoint} /> : null;
}
