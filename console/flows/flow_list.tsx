import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { likePattern } from '../shared/definition_search.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { useSearch } from '../shared/page/use_search.ts';
import { When } from '../shared/time/when.tsx';
import { FlowFilter, useChosenFolder } from './flow_filter.tsx';
import { LastRun } from './last_run.tsx';
import { RowActions } from './row_actions.tsx';
import { TagLinks } from './tag_links.tsx';
import type { ToolSettings } from './tool_dialog.tsx';

/** The most deployments of a flow that are counted. */
const DEPLOYMENTS_COUNTED = 100;
/** The most tags that a row shows. */
const SHOWN_TAGS = 5;

interface FlowListRow extends ToolSettings {
  id: number;
  name: string;
  folder: string;
  updated_at: string;
  flow_deployments: { id: string }[];
  flow_deployments_tags: { tag: string; deployment_id: string }[];
}

const flowTitle = ({ id, name }: { id: number; name: string }): string => name === '' ? `Flow ${id}` : name;

/** Where a flow is deployed: the number of its deployments, and those that have tags. */
function Deployments(
  { flow: { id, flow_deployments: { length }, flow_deployments_tags: tags } }: { flow: FlowListRow },
) {
  if (length === 0) return '–';
  const text = length > DEPLOYMENTS_COUNTED ? `more than ${DEPLOYMENTS_COUNTED}` : String(length);
  return (
    <Stack gap={4} align='flex-start'>
      <Anchor component={Link} href={`/deployments?flow=${id}`}>{text}</Anchor>
      <TagLinks tags={tags} />
    </Stack>
  );
}

const COLUMNS: Column<FlowListRow>[] = [
  {
    header: 'Name',
    cell: (flow) => (
      <Stack gap={0}>
        <Anchor
          component={Link}
          href={`/flows/${flow.id}`}
          fw={600}
          id={`flow-${flow.id}`}
          className='console-row-link'
        >
          {flowTitle(flow)}
        </Anchor>
        {flow.folder !== '' && <Text size='xs' c='dimmed' className='console-text'>{flow.folder}</Text>}
      </Stack>
    ),
  },
  { header: 'Last change', cell: ({ updated_at }) => <When at={updated_at} /> },
  { header: 'Deployments', cell: (flow) => <Deployments flow={flow} /> },
  { header: 'Last run', cell: ({ id }) => <LastRun flowId={id} /> },
  {
    header: 'Actions',
    isHeaderHidden: true,
    cell: (flow) => <RowActions id={flow.id} title={flowTitle(flow)} folder={flow.folder} tool={flow} />,
  },
];

/**
 * The flows of the signed-in user with a text in their names, in a folder or in all of them. The flow with the newest
 * change comes first.
 */
function useFlowList(searched: string, folder: string | null) {
  const { db } = useApi();
  const userId = useUserId();
  return usePagedRows({
    queryKey: ['flows', 'list', { searched, folder }],
    read: async (from, to, signal) => {
      const all = db.from('flows')
        .select(
          'id, name, folder, updated_at, tool_name, tool_tag, tool_description, flow_deployments(id), flow_deployments_tags(tag, deployment_id)',
        )
        .eq('user_id', userId).ilike('name', likePattern(searched));
      const { data } = await (folder === null ? all : all.eq('folder', folder))
        .order('updated_at', { ascending: false }).order('id', { ascending: false })
        .limit(DEPLOYMENTS_COUNTED + 1, { referencedTable: 'flow_deployments' })
        .order('tag', { referencedTable: 'flow_deployments_tags' })
        .limit(SHOWN_TAGS, { referencedTable: 'flow_deployments_tags' })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
}

/** The flows of the user, with a field that searches their names. */
export function FlowList() {
  const [text, setText, searched] = useSearch();
  const [folder] = useChosenFolder();
  const list = useFlowList(searched, folder);
  const isFiltered = searched !== '' || folder !== null;
  return (
    <>
      {(isFiltered || text !== '' || list.rows.length > 0) && <FlowFilter text={text} setText={setText} />}
      <PagedTable
        label='flows'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={isFiltered
          ? <Text c='dimmed'>No flow has this text in its name and is in this folder.</Text>
          : (
            <EmptyState title='You have no flows yet'>
              For example: read the rows of a CSV file, or send a report each night. “New flow” makes an empty flow. You
              can also drop files of another editor here.
            </EmptyState>
          )}
      />
    </>
  );
}
