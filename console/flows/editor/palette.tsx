import { ScrollArea, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useUserId } from '../../session/use_user_id.ts';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/error_alert.tsx';
import { DRAGGED_DEFINITION } from './canvas.tsx';
import { groupPalette, type PaletteEntry, readPalette, searchPalette } from './definitions.ts';

function Entry({ entry, onAdd }: { entry: PaletteEntry; onAdd: (id: string) => void }) {
  return (
    <div
      className='editor-entry'
      draggable
      title={entry.description || undefined}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED_DEFINITION, entry.id)}
    >
      <UnstyledButton className='editor-add' fz='sm' fw={600} onClick={() => onAdd(entry.id)}>
        {entry.title}
      </UnstyledButton>
      {entry.description !== '' && <Text size='xs' c='dimmed' lineClamp={2}>{entry.description}</Text>}
    </div>
  );
}

/** The definitions from which nodes are drawn. A click adds one; so does Enter in the search. */
export function Palette({ onAdd }: { onAdd: (id: string) => void }) {
  const { db } = useApi();
  const userId = useUserId();
  const [search, setSearch] = useState('');
  const { data = [], error, isPending } = useQuery({
    queryKey: ['nodes', 'palette'],
    queryFn: ({ signal }) => readPalette(db, userId, signal),
    staleTime: 60_000,
  });
  const found = searchPalette(data, search);
  return (
    <Stack component='section' aria-label='Palette' gap='xs' className='editor-palette'>
      <TextInput
        type='search'
        aria-label='Find a node'
        placeholder='Find a node'
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key === 'Enter' && first !== undefined) onAdd(first.id);
        }}
      />
      <ErrorAlert error={error} />
      <Text role='status' size='xs' c='dimmed'>
        {isPending ? 'Loading the nodes' : found.length === 1 ? '1 node' : `${found.length} nodes`}
      </Text>
      <ScrollArea flex={1} type='auto' viewportProps={{ tabIndex: 0, 'aria-label': 'Nodes to add', role: 'group' }}>
        {groupPalette(found).map(([group, entries]) => (
          <Stack key={group} gap={2} pb='sm'>
            <Title order={3} size='xs' c='dimmed' tt='capitalize'>{group}</Title>
            {entries.map((entry) => <Entry key={entry.id} entry={entry} onAdd={onAdd} />)}
          </Stack>
        ))}
      </ScrollArea>
    </Stack>
  );
}
