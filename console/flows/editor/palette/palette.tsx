import { Button, ScrollArea, Text, TextInput } from '@mantine/core';
import { useClickOutside, useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useUserId } from '../../../session/use_user_id.ts';
import { type Db, useApi } from '../../../shared/api.tsx';
import { MAX_SEARCH_LENGTH } from '../../../shared/definition_search.ts';
import { ErrorAlert } from '../../../shared/error_alert.tsx';
import { PALETTE_PAGE, type PaletteList, readPalette } from '../definitions.ts';
import { LIST_ID, optionId, Options } from './options.tsx';
import './palette.css';

/** Milliseconds without typing after which a search begins. */
const SETTLE_MS = 250;

/** The query for the palette's contents. */
const paletteQuery = (db: Db, userId: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ['nodes', 'palette', { search, limit }],
    queryFn: ({ signal }) => readPalette(db, userId, { search, limit }, signal),
    staleTime: 60_000,
  });

const countOf = ({ entries: { length }, hasMore }: PaletteList): string =>
  length === 1 ? '1 node' : `${hasMore ? 'The first ' : ''}${length} nodes`;

/** The text of the search, and the definitions that match. */
function usePaletteSearch() {
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
  return {
    text,
    search,
    list,
    error,
    /** True if the list is that of the text. After typing it shows an earlier search for a moment. */
    isCurrent: search === text.trim(),
    change: (next: string) => {
      setText(next);
      setLimit(PALETTE_PAGE);
    },
    showMore: () => setLimit(limit + PALETTE_PAGE),
    /** Reads the first match of the text. */
    readFirst: async () =>
      (await queryClient.fetchQuery(paletteQuery(db, userId, text.trim(), PALETTE_PAGE))).entries[0],
  };
}

/** The index of the active option after a key; undefined for other keys. */
function moved(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(index - 1, 0);
  if (key === 'PageDown') return Math.min(index + 8, count - 1);
  if (key === 'PageUp') return Math.max(index - 8, 0);
  return undefined;
}

export interface PaletteProps {
  /** Called with the id of the chosen definition. */
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** Lists the node definitions above the canvas. A click on a definition, or Enter in the search, chooses it. */
export function Palette({ onChoose, onClose }: PaletteProps) {
  const { text, search, list, error, isCurrent, change, showMore, readFirst } = usePaletteSearch();
  const [index, setIndex] = useState(0);
  const box = useClickOutside<HTMLElement>(onClose);
  const entries = list?.entries ?? [];
  const active = entries[Math.min(index, entries.length - 1)];
  useEffect(() => setIndex(0), [search]);
  const take = useMutation({
    mutationFn: async () => {
      const entry = isCurrent && list !== undefined ? active : await readFirst();
      if (entry !== undefined) onChoose(entry.id);
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, index, entries.length);
    if (event.key === 'Enter') take.mutate();
    else if (event.key === 'Escape') onClose();
    else if (next !== undefined) setIndex(next);
    else return;
    event.preventDefault();
  };
  return (
    <section ref={box} aria-label='Palette' className='palette'>
      <TextInput
        type='search'
        autoFocus
        aria-label='Find a node'
        aria-controls={LIST_ID}
        aria-autocomplete='list'
        aria-activedescendant={active && optionId(active)}
        placeholder='Find a node'
        autoComplete='off'
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ErrorAlert error={error ?? take.error} />
      <Text role='status' size='xs' c='dimmed'>{list === undefined ? 'Loading the nodes' : countOf(list)}</Text>
      <ScrollArea.Autosize mah='100%' type='auto' viewportProps={{ tabIndex: 0 }}>
        <Options entries={entries} active={active} isGrouped={search === ''} onChoose={onChoose} />
        {list?.hasMore === true && <Button variant='default' size='xs' fullWidth onClick={showMore}>More</Button>}
      </ScrollArea.Autosize>
    </section>
  );
}
