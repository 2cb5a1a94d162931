import { Anchor, Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { readNode } from '../shared/graph/drawn_node.ts';
import { NodeCard } from '../shared/graph/node_card.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { Pager } from '../shared/page/pager.tsx';
import type { PagedRows } from '../shared/page/use_paged_rows.ts';
import type { DefinitionRow } from './definition.ts';

type ShownDefinition = Pick<
  DefinitionRow,
  'id' | 'node_id' | 'version' | 'type' | 'is_public' | 'data' | 'sources' | 'targets'
>;

function DefinitionCard({ row }: { row: ShownDefinition }) {
  const node = readNode(row);
  return (
    <Stack gap='xs' component='li'>
      <Group gap='xs' justify='space-between' wrap='nowrap'>
        <Anchor component={Link} href={`/nodes/${row.id}`} fw={600} className='console-text'>
          {node.title}
        </Anchor>
        <Badge variant='default' tt='none' flex='0 0 auto'>{row.is_public ? row.type : 'only you'}</Badge>
      </Group>
      <Text size='sm' c='dimmed' lineClamp={3} className='console-text'>
        {node.description === '' ? `${row.node_id} ${row.version}` : node.description}
      </Text>
      <NodeCard node={node} />
    </Stack>
  );
}

/** A page of definitions, side by side. */
export function Gallery({ list, empty }: { list: PagedRows<ShownDefinition>; empty: ReactNode }) {
  if (list.isLoading) return <Loading label='Loading definitions' />;
  if (list.rows.length === 0 && list.error === null && list.page === 1) return empty;
  return (
    <Stack>
      <ErrorAlert error={list.error} onRetry={list.refetch} />
      <SimpleGrid
        component='ul'
        aria-label='definitions'
        cols={{ base: 1, sm: 2, lg: 3 }}
        spacing='xl'
        verticalSpacing='xl'
        className='console-plain-list'
      >
        {list.rows.map((row) => <DefinitionCard key={row.id} row={row} />)}
      </SimpleGrid>
      <Pager label='definitions' list={list} />
    </Stack>
  );
}
