import { useCallback, useState } from 'react';

/** Remembers which nodes show all their ports. Returns their ids, and a function that changes one. */
export function useExpanded(): [expanded: ReadonlySet<string>, toggle: (nodeId: string) => void] {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set());
  const toggle = useCallback((nodeId: string) =>
    setExpanded((before) => {
      const after = new Set(before);
      if (!after.delete(nodeId)) after.add(nodeId);
      return after;
    }), []);
  return [expanded, toggle];
}
