import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { MAX_SEARCH_LENGTH } from '../definition_search.ts';

/** The search text. It is stored in the address, so that Back and copied links restore it. */
export function useSearch(): [text: string, setText: (text: string) => void, searched: string] {
  const [parameters, setParameters] = useSearchParams();
  const searched = parameters.get('search')?.slice(0, MAX_SEARCH_LENGTH) ?? '';
  const [text, setText] = useState(searched);
  const [settled] = useDebouncedValue(text.trim(), 250);
  useEffect(() => {
    setParameters((old) => {
      const changed = new URLSearchParams(old);
      if (settled === (changed.get('search') ?? '')) return old;
      changed.delete('page');
      if (settled === '') changed.delete('search');
      else changed.set('search', settled);
      return changed;
    }, { replace: true });
  }, [settled, setParameters]);
  return [text, setText, searched];
}
