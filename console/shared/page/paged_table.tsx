import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { Loading } from './loading.tsx';
import { Pager } from './pager.tsx';
import type { PagedRows } from './use_paged_rows.ts';

/** A column of a table. */
export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** If true, only screen readers read the header, for example if the column contains buttons. */
  isHeaderHidden?: boolean;
}

interface PagedTableProps<Row> {
  /** The table's name for screen readers. */
  label: string;
  columns: Column<Row>[];
  rowKey: (row: Row) => string | number;
  list: PagedRows<Row>;
  /** Shown if the list has no rows at all. */
  empty: ReactNode;
}

/** A table of a list that is read page by page. On a narrow screen each row is a card. */
export function PagedTable<Row>({ label, columns, rowKey, list, empty }: PagedTableProps<Row>) {
  if (list.isLoading) return <Loading label={`Loading ${label}`} />;
  if (list.error !== null && list.rows.length === 0) return <ErrorAlert error={list.error} onRetry={list.refetch} />;
  if (list.rows.length === 0 && list.page === 1) return empty;
  return (
    <Stack gap='sm'>
      <ErrorAlert error={list.error} onRetry={list.refetch} />
      <Table aria-label={label} role='table' highlightOnHover verticalSpacing='sm' className='console-table'>
        <Table.Thead role='rowgroup'>
          <Table.Tr role='row'>
            {columns.map(({ header, isHeaderHidden = false }) => (
              <Table.Th key={header} role='columnheader' scope='col'>
                <span className={isHeaderHidden ? 'console-hidden' : undefined}>{header}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role='rowgroup'>
          {list.rows.map((row) => (
            <Table.Tr key={rowKey(row)} role='row'>
              {columns.map(({ header, cell, isHeaderHidden }) => (
                <Table.Td key={header} role='cell' data-label={isHeaderHidden ? undefined : header}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {list.rows.length === 0 && <Text c='dimmed'>There is nothing on this page.</Text>}
      <Pager label={label} list={list} />
    </Stack>
  );
}
