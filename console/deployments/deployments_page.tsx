import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { FlowFilter } from '../shared/targets/flow_filter.tsx';
import { Page } from '../shared/page/page.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { When } from '../shared/time/when.tsx';
import { deploymentTitle, flowTitle } from './deployment.ts';
import { TagBadges } from './tag_badges.tsx';

interface DeploymentListRow {
  id: string;
  created_at: string;
  entrypoint: number;
  name: string;
  start_permission: string;
  flows: { name: string } | null;
  flow_deployments_tags: { tag: string }[];
}

/** The list shows at most this number of tags of a deployment. */
const TAGS_SHOWN = 20;

const COLUMNS: Column<DeploymentListRow>[] = [
  {
    header: 'Name',
    cell: (row) => <Anchor component={Link} href={`/deployments/${row.id}`} fw={600}>{deploymentTitle(row)}</Anchor>,
  },
  {
    header: 'Flow',
    cell: (row) => <Anchor component={Link} href={`/flows/${row.entrypoint}`} size='sm'>{flowTitle(row)}</Anchor>,
  },
  { header: 'Deployed', cell: ({ created_at }) => <When at={created_at} /> },
  {
    header: 'Tags',
    cell: ({ flow_deployments_tags: tags }) =>
      tags.length === 0 ? <Text span c='dimmed'>–</Text> : <TagBadges tags={tags.map(({ tag }) => tag)} />,
  },
  { header: 'Who may start it', cell: ({ start_permission }) => start_permission },
];

/** The greatest id of a flow. */
const MAX_FLOW_ID = 2_147_483_647;

function readFlowId(text: string | null): number | undefined {
  const id = text !== null && /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= MAX_FLOW_ID ? id : undefined;
}

/** The deployments of one flow, or of all flows, the newest first. */
export function DeploymentsPage() {
  const { db } = useApi();
  const [parameters, setParameters] = useSearchParams();
  const flow = readFlowId(parameters.get('flow'));
  const list = usePagedRows<DeploymentListRow>({
    queryKey: ['deployments', 'list', { flow }],
    read: async (from, to, signal) => {
      const all = db.from('flow_deployments')
        .select('id, created_at, entrypoint, name, start_permission, flows(name), flow_deployments_tags(tag)');
      const { data } = await (flow === undefined ? all : all.eq('entrypoint', flow)).order('id', { ascending: false })
        .limit(TAGS_SHOWN, { referencedTable: 'flow_deployments_tags' })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Page title='Deployments' description='A deployment is a frozen flow. Each start executes a deployment.'>
      <Group>
        <FlowFilter
          flow={flow}
          choose={(chosen) => setParameters(chosen === undefined ? {} : { flow: String(chosen) })}
        />
      </Group>
      <PagedTable
        label='deployments'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <EmptyState
            title={flow === undefined ? 'You have no deployments yet' : 'This flow has no deployments yet'}
            action={
              <Button component={Link} href={flow === undefined ? '/flows' : `/flows/${flow}`}>
                Go to the flow{flow === undefined && 's'}
              </Button>
            }
          >
            Open a flow and choose “Deploy”. The deployment keeps the flow as it is then, and can be started. For
            example: the nightly report runs as it was deployed, while you draw its next version.
          </EmptyState>
        }
      />
    </Page>
  );
}
