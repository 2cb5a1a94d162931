import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../shared/api.tsx';
import { insertFlow, settingsOf } from '../../flow_rows.ts';
import { readNativeDefinitions } from '../definitions.ts';
import { useEditor } from '../editor_context.tsx';
import { BORDER_NODES, extractedFlow, type Extraction, replaceExtracted } from './extract.ts';

/** Stores the selected nodes as a flow with the given name, and puts one node that calls the flow in their place. */
export function useExtracting(plan: Extraction, onDone: () => void) {
  const { store } = useEditor();
  const { db } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      const { document, selected, settings } = store.state();
      const definitions = await readNativeDefinitions(db, BORDER_NODES);
      const graph = extractedFlow(document, plan, selected, definitions);
      const id = await insertFlow(db, { ...settingsOf(settings), name, description: '', is_public: false, ...graph });
      const replaced = replaceExtracted(document, plan, selected, definitions.interflow, { id, name });
      store.change(() => replaced.document);
      store.select(new Set([replaced.nodeId]));
      await queries.invalidateQueries({ queryKey: ['flows', 'list'] });
    },
    onSuccess: onDone,
  });
}
