import { Button, ScrollArea, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { useUserId } from '../../session/use_user_id.ts';
import { type Db, useApi } from '../../shared/api.tsx';
import { MAX_SEARCH_LENGTH } from '../../shared/definition_search.ts';
import { ErrorAlert } from '../../shared/error_alert.tsx';
import { DRAGGED_DEFINITION } from './canvas.tsx';
import { groupPalette, PALETTE_PAGE, type PaletteEntry, type PaletteList, readPalette } from './definitions.ts';

/** Milliseconds without typing after which a search begins. */
const SETTLE_MS = 250;

const Entry = memo(function Entry({ entry, onAdd }: { entry: PaletteEntry; onAdd: (id: string) => void }) {
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
});

/** The query for the palette's contents. */
const paletteQuery = (db: Db, userId: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ['nodes', 'palette', { search, limit }],
    queryFn: ({ signal }) => readPalette(db, userId, { search, limit }, signal),
    staleTime: 60_000,
  });

const countOf = ({ entries: { length }, hasMore }: PaletteList): string =>
  length === 1 ? '1 node' : `${hasMore ? 'The first ' : ''}${length} nodes`;

interface SearchFieldProps {
  value: string;
  onChange: (text: string) => void;
  /** Called when Enter is pressed. */
  onTake: () => void;
  error: unknown;
}

const SearchField = ({ value, onChange, onTake, error }: SearchFieldProps) => (
  <>
    <TextInput
      type='search'
      aria-label='Find a node'
      placeholder='Find a node'
      maxLength={MAX_SEARCH_LENGTH}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onTake();
      }}
    />
    <ErrorAlert error={error} />
  </>
);

/**
 * Lists the node definitions. A click on a definition, or Enter in the search, adds a node. The list is memoized,
 * because the canvas renders at every step of a drag: pass the same `onAdd`.
 */
export const Palette = memo(function Palette({ onAdd }: { onAdd: (id: string) => void }) {
  const { db } = useApi();
  const queryClient = useQueryClient();
  const userId = useUserId();
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(PALETTE_PAGE);
  const [search] = useDebouncedValue(text.trim(), SETTLE_MS);
  const { data: list, error } = useQuery({
    ...paletteQuery(db, userId, search, limit),
    placeholderData: keepPreviousData,
  });
  // The list may still show an earlier search, so the text is searched again.
  const take = useMutation({
    mutationFn: async () => {
      const { entries: [first] } = await queryClient.fetchQuery(paletteQuery(db, userId, text.trim(), PALETTE_PAGE));
      if (first !== undefined) onAdd(first.id);
    },
  });
  const change = (next: string) => {
    setText(next);
    setLimit(PALETTE_PAGE);
  };
  const entries = list?.entries ?? [];
  return (
    <Stack component='section' aria-label='Palette' gap='xs' className='editor-palette'>
      <SearchField value={text} onChange={change} onTake={() => take.mutate()} error={error ?? take.error} />
      <Text role='status' size='xs' c='dimmed'>{list === undefined ? 'Loading the nodes' : countOf(list)}</Text>
      <ScrollArea flex={1} type='auto' viewportProps={{ tabIndex: 0, 'aria-label': 'Nodes to add', role: 'group' }}>
        {(search === '' ? groupPalette(entries) : [['', entries] as const]).map(([group, members]) => (
          <Stack key={group} gap={2} pb='sm'>
            {group !== '' && <Title order={3} size='xs' c='dimmed' tt='capitalize'>{group}</Title>}
            {members.map((entry) => <Entry key={entry.id} entry={entry} onAdd={onAdd} />)}
          </Stack>
        ))}
        {list?.hasMore === true && (
          <Button
            variant='default'
            size='xs'
            fullWidth
            onClick={() => setLimit(limit + PALETTE_PAGE)}
          >
            More
          </Button>
        )}
      </ScrollArea>
    </Stack>
  );
});
