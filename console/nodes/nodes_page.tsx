import { Button, Group, SegmentedControl, TextInput } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { MAX_SEARCH_LENGTH, searchFilter } from '../shared/definition_search.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { useSearch } from '../shared/page/use_search.ts';
import { Gallery } from './gallery.tsx';

const OWNERS = [{ label: 'All', value: 'all' }, { label: 'My own', value: 'own' }];
const COLUMNS = 'id, node_id, version, type, is_public, user_id, data, sources, targets';

export function NodesPage() {
  const { db } = useApi();
  const userId = useUserId();
  const [parameters, setParameters] = useSearchParams();
  const [text, setText, searched] = useSearch();
  const isOwnOnly = parameters.get('of') === 'own';
  const list = usePagedRows({
    queryKey: ['nodes', 'list', { searched, isOwnOnly }],
    read: async (from, to, signal) => {
      let query = db.from('nodes').select(COLUMNS);
      if (searched !== '') query = query.or(searchFilter(searched));
      if (isOwnOnly) query = query.eq('user_id', userId);
      const { data } = await query.order('node_id').order('version').order('id').range(from, to).abortSignal(signal)
        .throwOnError();
      return data;
    },
  });
  const buttons = (
    <Group>
      <Button component={Link} href='/nodes/add' leftSection={<Icon name='plus' />}>Add nodes</Button>
      <Button component={Link} href='/nodes/new' variant='default'>New definition</Button>
    </Group>
  );
  return (
    <Page
      title='Nodes'
      description='The building blocks of flows. Each definition is drawn as on the canvas.'
      actions={buttons}
    >
      <Group align='flex-end'>
        <TextInput
          type='search'
          label='Find a definition'
          description='By name, tag or text'
          maxLength={MAX_SEARCH_LENGTH}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          flex='1 1 16rem'
        />
        <SegmentedControl
          aria-label='Whose definitions'
          data={OWNERS}
          value={isOwnOnly ? 'own' : 'all'}
          onChange={(of) => setParameters(of === 'own' ? { search: searched, of } : { search: searched })}
        />
      </Group>
      <Gallery
        list={list}
        empty={searched === ''
          ? (
            <EmptyState
              title={isOwnOnly ? 'You have no definitions yet' : 'There are no definitions'}
            >
              A definition describes the inputs, the outputs and the form of a node. For example: a copy of{' '}
              <q>HTTP Request</q> with the fields of your server.
            </EmptyState>
          )
          : <EmptyState title='Nothing was found'>No definition has this name, tag or text.</EmptyState>}
      />
    </Page>
  );
}
