import { Button, Group, Text } from '@mantine/core';
import type { PagedRows } from './use_paged_rows.ts';

/** The buttons for the next and the previous page of a list. Shows nothing for a list of one page. */
export function Pager({ label, list }: { label: string; list: PagedRows<unknown> }) {
  if (list.page === 1 && !list.hasNext) return null;
  return (
    <Group component='nav' aria-label={`Pages of ${label}`} justify='flex-end'>
      <Button variant='default' size='xs' disabled={list.page === 1} onClick={() => list.setPage(list.page - 1)}>
        Previous
      </Button>
      <Text size='sm' aria-live='polite'>Page {list.page}</Text>
      <Button variant='default' size='xs' disabled={!list.hasNext} onClick={() => list.setPage(list.page + 1)}>
        Next
      </Button>
    </Group>
  );
}
