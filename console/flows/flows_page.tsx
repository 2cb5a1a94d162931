import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { likePattern, MAX_SEARCH_LENGTH } from '../shared/definition_search.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { useSearch } from '../shared/page/use_search.ts';
import { When } from '../shared/time/when.tsx';
import { DataQuestion, FileDrop, ImportButton, LeftOutAlert, useImport } from './flow_import.tsx';
import { insertFlow } from './flow_rows.ts';
import { LastRun } from './last_run.tsx';
import { RowActions } from './row_actions.tsx';
import { TemplatesButton } from './templates/templates_button.tsx';

/** The most deployments of a flow that are counted. */
const DEPLOYMENTS_COUNTED = 100;

interface FlowListRow {
  id: number;
  name: string;
  updated_at: string;
  flow_deployments: { id: string }[];
}

export const flowTitle = ({ id, name }: { id: number; name: string }): string => name === '' ? `Flow ${id}` : name;

function DeploymentCount({ flow: { id, flow_deployments: { length } } }: { flow: FlowListRow }) {
  if (length === 0) return '–';
  const text = length > DEPLOYMENTS_COUNTED ? `more than ${DEPLOYMENTS_COUNTED}` : String(length);
  return <Anchor component={Link} href={`/deployments?flow=${id}`}>{text}</Anchor>;
}

const COLUMNS: Column<FlowListRow>[] = [
  {
    header: 'Name',
    cell: (flow) => (
      <Anchor component={Link} href={`/flows/${flow.id}`} fw={600} id={`flow-${flow.id}`} className='console-row-link'>
        {flowTitle(flow)}
      </Anchor>
    ),
  },
  { header: 'Last change', cell: ({ updated_at }) => <When at={updated_at} /> },
  { header: 'Deployments', cell: (flow) => <DeploymentCount flow={flow} /> },
  { header: 'Last run', cell: ({ id }) => <LastRun flowId={id} /> },
  {
    header: 'Actions',
    isHeaderHidden: true,
    cell: ({ id, name }) => <RowActions id={id} title={flowTitle({ id, name })} />,
  },
];

/** The flows of the signed-in user with a text in their names. The flow with the newest change comes first. */
function useFlowList(searched: string) {
  const { db } = useApi();
  const userId = useUserId();
  return usePagedRows({
    queryKey: ['flows', 'list', { searched }],
    read: async (from, to, signal) => {
      const { data } = await db.from('flows').select('id, name, updated_at, flow_deployments(id)').eq('user_id', userId)
        .ilike('name', likePattern(searched))
        .order('updated_at', { ascending: false }).order('id', { ascending: false })
        .limit(DEPLOYMENTS_COUNTED + 1, { referencedTable: 'flow_deployments' })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
}

export function FlowsPage() {
  const { db } = useApi();
  const [, navigate] = useLocation();
  const [text, setText, searched] = useSearch();
  const list = useFlowList(searched);
  const importing = useImport();
  const templates = useRef<HTMLButtonElement>(null);
  const creating = useMutation({
    mutationFn: (flow: object) => insertFlow(db, flow),
    onSuccess: (id) => navigate(`/flows/${id}`),
  });
  const actions = (
    <Group gap='xs'>
      <ImportButton importing={importing} />
      <TemplatesButton
        label='Templates'
        buttonRef={templates}
        begin={async (flow) => void await creating.mutateAsync(flow)}
      />
      <Button
        leftSection={<Icon name='plus' />}
        loading={creating.isPending}
        onClick={() => creating.mutate({ name: 'New flow' })}
      >
        New flow
      </Button>
    </Group>
  );
  return (
    <FileDrop onFiles={importing.start}>
      <Page title='Flows' actions={actions}>
        <ErrorAlert error={creating.error} />
        <ErrorAlert error={importing.error} />
        <LeftOutAlert importing={importing} />
        <DataQuestion importing={importing} />
        {(searched !== '' || text !== '' || list.rows.length > 0) && (
          <TextInput
            type='search'
            label='Find a flow'
            maxLength={MAX_SEARCH_LENGTH}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maw='24rem'
          />
        )}
        <PagedTable
          label='flows'
          columns={COLUMNS}
          rowKey={({ id }) => id}
          list={list}
          empty={searched !== '' ? <Text c='dimmed'>No flow has this text in its name.</Text> : (
            <EmptyState
              title='You have no flows yet'
              action={<Button onClick={() => templates.current?.click()}>Choose an example</Button>}
            >
              For example: read the rows of a CSV file, or send a report each night. “New flow” makes an empty flow. You
              can also drop files of another editor here.
            </EmptyState>
          )}
        />
      </Page>
    </FileDrop>
  );
}
