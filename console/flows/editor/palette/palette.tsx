import { Anchor, Button, ScrollArea, Text, TextInput } from '@mantine/core';
import { useClickOutside, useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useCallback, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useUserId } from '../../../session/use_user_id.ts';
import { type Db, useApi } from '../../../shared/api.tsx';
import { MAX_SEARCH_LENGTH } from '../../../shared/definition_search.ts';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import type { PaletteEntry } from './entries.ts';
import { leadOf } from './leads.ts';
import { LIST_ID, optionId, Options } from './options.tsx';
import type { PaletteRequest } from './palette_context.tsx';
import { PALETTE_PAGE, type PaletteList, readPalette } from './read_palette.ts';
import './palette.css';

/** Milliseconds without typing after which a search begins. */
const SETTLE_MS = 250;

/**
 * If the request has the test `fits`, the palette shows only the definitions that pass it. It then reads at most this
 * number of definitions.
 */
const READ_FOR_FITTING = 400;

/** The query for the palette's contents. */
const paletteQuery = (db: Db, userId: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ['nodes', 'palette', { search, limit }],
    queryFn: ({ signal }) => readPalette(db, userId, { search, limit }, signal),
    staleTime: 60_000,
  });

function countOf({ entries: { length }, hasMore, isSuggested }: PaletteList): string {
  if (isSuggested) return 'No node has these words. These nodes can do most things:';
  if (length === 0) return 'No node';
  return length === 1 ? '1 node' : `${hasMore ? 'The first ' : ''}${length} nodes`;
}

/** Returns the text of the search, and the definitions that match. */
function usePaletteSearch(fits: PaletteRequest['fits']) {
  const { db } = useApi();
  const queryClient = useQueryClient();
  const userId = useUserId();
  const [text, setText] = useState('');
  const firstLimit = fits === undefined ? PALETTE_PAGE : READ_FOR_FITTING;
  const [limit, setLimit] = useState(firstLimit);
  const [search] = useDebouncedValue(text.trim(), SETTLE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    ...paletteQuery(db, userId, search, limit),
    placeholderData: keepPreviousData,
  });
  const fitting = (list: PaletteList): PaletteList =>
    fits === undefined ? list : { ...list, entries: list.entries.filter(({ node }) => fits(node)) };
  const change = useCallback((next: string) => {
    setText(next);
    setLimit(firstLimit);
  }, [firstLimit]);
  return {
    text,
    search,
    list: data && fitting(data),
    error,
    /**
     * True if the list has the matches of the typed text. While the user types, it still has those of the former text.
     */
    isCurrent: search === text.trim() && !isPlaceholderData,
    change,
    showMore: () => setLimit(limit + PALETTE_PAGE),
    /** Reads the first match of the text. */
    readFirst: async () =>
      fitting(await queryClient.fetchQuery(paletteQuery(db, userId, text.trim(), limit))).entries[0],
  };
}

/** Returns the index of the active option after a key that changes it; undefined for other keys. */
function moved(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(index - 1, 0);
  if (key === 'PageDown') return Math.min(index + 8, count - 1);
  if (key === 'PageUp') return Math.max(index - 8, 0);
  return undefined;
}

export interface PaletteProps {
  request: PaletteRequest;
  /** Called with the id of the chosen definition. If `isLast` is false, the palette stays open for another choice. */
  onChoose: (id: string, isLast: boolean) => void;
  onClose: () => void;
}

/**
 * Lists the node definitions above the canvas. A click or Enter chooses a definition. With Shift, the palette stays
 * open for another choice.
 */
export function Palette({ request: { fits, hint }, onChoose, onClose }: PaletteProps) {
  const { text, search, list, error, isCurrent, change, showMore, readFirst } = usePaletteSearch(fits);
  const [index, setIndex] = useState(0);
  const box = useClickOutside<HTMLElement>(onClose);
  const entries = list?.entries ?? [];
  const active = entries[Math.min(index, entries.length - 1)];
  const lead = leadOf(search);
  useEffect(() => setIndex(0), [search]);
  const choose = useCallback((entry: PaletteEntry, isLast: boolean) => {
    onChoose(entry.id, isLast);
    change('');
  }, [onChoose, change]);
  const take = useMutation({
    mutationFn: async (isLast: boolean) => {
      const entry = isCurrent && list !== undefined ? active : await readFirst();
      if (entry !== undefined) choose(entry, isLast);
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, index, entries.length);
    if (event.key === 'Enter') take.mutate(!event.shiftKey);
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
        title='Enter adds the marked node, Shift+Enter also keeps the list open'
        autoComplete='off'
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ErrorAlert error={error ?? take.error} />
      {lead !== undefined && (
        <Text size='sm'>
          {lead.text} <Anchor component={Link} href={lead.href} inherit>{lead.link}</Anchor>
        </Text>
      )}
      {hint !== undefined && <Text size='xs'>{hint}</Text>}
      <Text role='status' size='xs' c='dimmed'>{list === undefined ? 'Loading the nodes' : countOf(list)}</Text>
      <ScrollArea.Autosize mah='100%' type='auto' viewportProps={{ tabIndex: 0 }}>
        <Options entries={entries} active={active} isGrouped={search === ''} onChoose={choose} />
        {list?.hasMore === true && <Button variant='default' size='xs' fullWidth onClick={showMore}>More</Button>}
        {list?.isSuggested === true && (
          <Anchor component={Link} href='/docs/guides/native_node' size='sm' px={8}>Write a node of your own</Anchor>
        )}
      </ScrollArea.Autosize>
    </section>
  );
}
