import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { likePattern, MAX_SEARCH_LENGTH } from '../shared/definition_search.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { useSearch } from '../shared/page/use_search.ts';
import { When } from '../shared/time/when.tsx';
import { LastRun } from './last_run.tsx';
import { RowActions } from './row_actions.tsx';
import type { ToolSettings } from './tool_dialog.tsx';

/** The most deployments of a flow that are counted. */
const DEPLOYMENTS_COUNTED = 100;

interface FlowListRow extends ToolSettings {
  id: number;
  name: string;
  updated_at: string;
  flow_deployments: { id: string }[];
}

const flowTitle = ({ id, name }: { id: number; name: string }): string => name === '' ? `Flow ${id}` : name;

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
    cell: (flow) => <RowActions id={flow.id} title={flowTitle(flow)} tool={flow} />,
  },
];

/** The flows of the signed-in user with a text in their names. The flow with the newest change comes first. */
function useFlowList(searched: string) {
  const { db } = useApi();
  const userId = useUserId();
  return usePagedRows({
    queryKey: ['flows', 'list', { searched }],
    read: async (from, to, signal) => {
      const { data } = await db.from('flows').select(
        'id, name, updated_at, tool_name, tool_tag, tool_description, flow_deployments(id)',
      )
        .eq('user_id', userId)
        .ilike('name', likePattern(searched))
        .order('updated_at', { ascending: false }).order('id', { ascending: false })
        .limit(DEPLOYMENTS_COUNTED + 1, { referencedTable: 'flow_deployments' })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
}

/** The flows of the user, with a field that searches their names. */
export function FlowList({ onChooseExample }: { onChooseExample: () => void }) {
  const [text, setText, searched] = useSearch();
  const list = useFlowList(searched);
  return (
    <>
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
            action={<Button onClick={onChooseExample}>Choose an example</Button>}
          >
            For example: read the rows of a CSV file, or send a report each night. “New flow” makes an empty flow. You
            can also drop files of another editor here.
          </EmptyState>
        )}
      />
    </>
  );
}
