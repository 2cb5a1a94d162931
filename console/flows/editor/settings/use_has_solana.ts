import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../shared/api.tsx';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditorState } from '../editor_context.tsx';

/** The nodes that run other flows, which may have nodes of Solana. */
const CALLS: readonly unknown[] = ['interflow', 'interflow_instructions'];

const hasTag = (node: PlainObject): boolean => {
  const { tags } = objectAt(node, 'data');
  return Array.isArray(tags) && tags.includes('solana');
};

/** Tests whether the flow may have nodes of Solana. A deployment has settings for Solana by the same tag. */
export function useHasSolana(): boolean {
  const { db } = useApi();
  const { document: { nodes } } = useEditorState();
  const isKnown = nodes.some((node) => hasTag(node) || CALLS.includes(objectAt(node, 'data')['node_id']));
  // Nodes that this editor has not drawn may have no tags.
  const { data: names = [] } = useQuery({
    queryKey: ['nodes', 'solana'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('nodes').select('node_id').contains('data->tags', '["solana"]')
        .abortSignal(signal).throwOnError();
      return data.map(({ node_id }) => node_id);
    },
    enabled: !isKnown,
  });
  return isKnown || nodes.some((node) => names.includes(String(objectAt(node, 'data')['node_id'])));
}
