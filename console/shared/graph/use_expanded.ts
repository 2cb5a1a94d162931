import { useCallback, useState } from 'react';

/** Remembers the nodes that show all their ports. Returns their ids, and a function that switches one node. */
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
