import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { insertCopy, saveFlow } from '../flow_rows.ts';
import { useEditor } from './editor_context.tsx';

export interface Saving {
  /**
   * Saves the document, and resolves with true on success. If somebody else has saved the flow since the editor read
   * it, saves nothing and sets `isConflict`.
   */
  save: () => Promise<boolean>;
  /** Saves the document over somebody else's changes. */
  overwrite: () => Promise<boolean>;
  /** Saves the document as a new flow of the user, and opens the new flow. */
  saveCopy: () => Promise<void>;
  /** Discards the user's changes and reads the saved flow. */
  discard: () => Promise<void>;
  /** Closes the question about the conflict, and keeps the user's changes unsaved. */
  keepEditing: () => void;
  isConflict: boolean;
  isPending: boolean;
  error: unknown;
}

/** Saves the open flow, and detects whether somebody else has saved the flow since it was opened. */
export function useSaving(): Saving {
  const { flow, store } = useEditor();
  const { db } = useApi();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [isConflict, setIsConflict] = useState(false);
  const { mutateAsync, isPending, error, reset } = useMutation({ mutationFn: (work: () => Promise<void>) => work() });
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await mutateAsync(work);
      return true;
    } catch {
      return false;
    }
  };

  const storeAt = async (version: string): Promise<boolean> => {
    const { document } = store.state();
    let isStored = false;
    const isDone = await run(async () => {
      const result = await saveFlow(db, flow.id, version, { nodes: document.nodes, edges: document.edges });
      if (result === 'saved by somebody else') return setIsConflict(true);
      isStored = true;
      setIsConflict(false);
      store.markSaved({ document, version: result.updatedAt });
      await queryClient.invalidateQueries({ queryKey: ['flows', 'list'] });
    });
    return isDone && isStored;
  };

  /** Marks the changes as saved, so that the console does not keep them when the user leaves the page. */
  const giveUpChanges = () => {
    const { document, version } = store.state();
    store.markSaved({ document, version });
  };

  return {
    save: async () => store.isDirty() ? await storeAt(store.state().version) : true,
    async overwrite() {
      let version = '';
      const isRead = await run(async () => {
        const { data } = await db.from('flows').select('updated_at').eq('id', flow.id).single().throwOnError();
        version = data.updated_at;
      });
      return isRead && await storeAt(version);
    },
    async saveCopy() {
      const { document } = store.state();
      const { nodes, edges } = document;
      await run(async () => {
        const id = await insertCopy(db, { ...store.state().settings, nodes, edges });
        giveUpChanges();
        navigate(`/flows/${id}`);
      });
    },
    async discard() {
      giveUpChanges();
      setIsConflict(false);
      reset();
      await queryClient.resetQueries({ queryKey: ['flows', 'open', flow.id] });
    },
    keepEditing: () => setIsConflict(false),
    isConflict,
    isPending,
    error,
  };
}
