import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { Section } from '../shared/page/section.tsx';
import { type DateFormat, exactTime, useDateFormat } from '../shared/time/dates.ts';
import { type DeploymentDetails, frozenGraphsQuery, siblingsQuery } from './deployment.ts';
import { Differences } from './differences.tsx';

interface Sibling {
  id: string;
  created_at: string;
  snapshot_hash: string;
  flow_deployments_tags: { tag: string }[];
}

function describe({ created_at, flow_deployments_tags: tags }: Sibling, format: DateFormat): string {
  const names = tags.map(({ tag }) => tag).join(', ');
  return `${names === '' ? '' : `${names}: `}${exactTime(new Date(created_at), format)}`;
}

function Compared({ deployment, sibling }: { deployment: DeploymentDetails; sibling: Sibling }) {
  const api = useApi();
  const before = useQuery(frozenGraphsQuery(api, sibling.id));
  const after = useQuery(frozenGraphsQuery(api, deployment.id));
  if (before.isPending || after.isPending) return <Loading label='Reading the graphs' />;
  if (!before.data || !after.data) return <ErrorAlert error={before.error ?? after.error} />;
  return (
    <Differences
      before={before.data}
      after={after.data}
      isSame={sibling.snapshot_hash === deployment.snapshot_hash}
    />
  );
}

/** The differences between this deployment and another deployment of the flow. */
export function Comparison({ deployment }: { deployment: DeploymentDetails }) {
  const { data: siblings, error, refetch } = useQuery(siblingsQuery(useApi(), deployment));
  const format = useDateFormat();
  const [parameters, setParameters] = useSearchParams();
  const [chosen, setChosen] = useState(parameters.get('compare') ?? '');
  const compared = siblings?.find(({ id }) => id === parameters.get('compare'));
  const first = siblings?.[0];
  const choice = siblings?.find(({ id }) => id === chosen)?.id ?? first?.id ?? '';
  const compare = (event: FormEvent) => {
    event.preventDefault();
    setParameters((old) => {
      const changed = new URLSearchParams(old);
      changed.set('compare', choice);
      return changed;
    });
  };
  return (
    <Section title='What has changed'>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {siblings !== undefined && first === undefined && (
        <Text c='dimmed'>The flow has no other deployment to compare with.</Text>
      )}
      {siblings !== undefined && first !== undefined && (
        <Stack>
          <form onSubmit={compare}>
            <Group align='flex-end'>
              <NativeSelect
                label='Another deployment'
                data={siblings.map((sibling) => ({ value: sibling.id, label: describe(sibling, format) }))}
                value={choice}
                onChange={(event) => setChosen(event.currentTarget.value)}
              />
              <Button type='submit' variant='default'>Compare</Button>
            </Group>
          </form>
          {compared !== undefined && <Compared deployment={deployment} sibling={compared} />}
        </Stack>
      )}
    </Section>
  );
}
