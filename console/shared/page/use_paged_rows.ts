import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';

/** Number of rows on a page of a table. */
const PAGE_SIZE = 25;

/** One page of a list, as a table shows it. */
export interface PagedRows<Row> {
  rows: Row[];
  /** The page's number, from 1. */
  page: number;
  hasNext: boolean;
  setPage: (page: number) => void;
  isLoading: boolean;
  error: unknown;
  refetch: () => void;
}

interface PagedRowsOptions<Row> {
  /**
   * The query's key, with all filters. If the key changes, the rows of the former key stay visible until the new rows
   * are read.
   */
  queryKey: readonly unknown[];
  /**
   * Reads the rows from `from` to `to`, both included, in a fixed order. `signal` aborts if the rows are no longer
   * needed.
   */
  read: (from: number, to: number, signal: AbortSignal) => Promise<Row[]>;
  /** Milliseconds after which the rows are read again, for lists that change by themselves. */
  refetchInterval?: number;
  /** The query parameter with the page's number; needed if a page has more than one list. */
  parameter?: string;
}

/** Reads a list page by page. The address contains the page's number, so that Back and copied links restore it. */
export function usePagedRows<Row>(options: PagedRowsOptions<Row>): PagedRows<Row> {
  const { queryKey, read, refetchInterval, parameter = 'page' } = options;
  const [parameters, setParameters] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(parameters.get(parameter)) || 1));
  const from = (page - 1) * PAGE_SIZE;
  const query = useQuery({
    queryKey: [...queryKey, { page }],
    // One row more than a page shows is read. If this row exists, there is a next page.
    queryFn: ({ signal }) => read(from, from + PAGE_SIZE, signal),
    placeholderData: keepPreviousData,
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
  return {
    rows: (query.data ?? []).slice(0, PAGE_SIZE),
    page,
    hasNext: (query.data?.length ?? 0) > PAGE_SIZE,
    setPage: (next) =>
      setParameters((old) => {
        const changed = new URLSearchParams(old);
        if (next <= 1) changed.delete(parameter);
        else changed.set(parameter, String(next));
        return changed;
      }),
    isLoading: query.isPending,
    error: query.error,
    refetch: () => void query.refetch(),
  };
}
