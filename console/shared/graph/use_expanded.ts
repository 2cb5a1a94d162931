import { useCallback, useState } from 'react';

/**
 * Remembers which nodes show all their ports. Returns the ids of these nodes, and a function that adds or removes a
 * node.
 */
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
