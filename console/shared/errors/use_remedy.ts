import { useQuery } from '@tanstack/react-query';

/**
 * Loads the remedies of all errors when the first error is shown. The reference page of errors has the same remedies.
 */
async function loadRemedies(): Promise<Record<string, string>> {
  const [{ errorEntries }, { runErrors }] = await Promise.all([
    import('../../../types/errors.ts'),
    import('../../../types/run_errors.ts'),
  ]);
  const entries = Object.entries({ ...errorEntries, ...runErrors });
  // The remedy is shown as plain text, so the back-ticks are removed.
  return Object.fromEntries(entries.map(([code, { remedy }]) => [code, remedy.replaceAll('`', '')]));
}

/** Returns the remedy for an error, by its code; undefined if the code is not in the reference. */
export function useRemedy(code: string | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ['remedies'],
    queryFn: loadRemedies,
    enabled: code !== undefined,
    staleTime: Infinity,
  });
  return code === undefined || data === undefined || !Object.hasOwn(data, code) ? undefined : data[code];
}
