import { Button, FileButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { Icon } from '../shared/icon.tsx';
import { fromEditorFile, insertFlow } from './flow_rows.ts';

/** The size limit of a file. A flow has at most 8 MiB, but editors add spaces and other members to their files. */
const MAX_FILE_BYTES = 32 * 1_048_576;

export interface Importing {
  start: (files: File[]) => void;
  isPending: boolean;
  error: unknown;
}

/** Stores the flows of files. A single flow is then opened in the editor. */
export function useImport(): Importing {
  const { db } = useApi();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (files: File[]) => {
      const ids: number[] = [];
      for (const file of files) {
        try {
          if (file.size > MAX_FILE_BYTES) throw new Error('It has more than 32 MiB.');
          ids.push(await insertFlow(db, await fromEditorFile(await file.text())));
        } catch (failure) {
          throw Object.assign(failure as Error, { hint: `The file was ${file.name}.` });
        }
      }
      return ids;
    },
    onSuccess: ([id, ...others]) => id !== undefined && others.length === 0 && navigate(`/flows/${id}`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['flows', 'list'] }),
  });
  return { start: mutate, isPending, error };
}

export const ImportButton = ({ importing }: { importing: Importing }) => (
  <FileButton multiple accept='application/json,.json' onChange={importing.start}>
    {(props) => (
      <Button {...props} variant='default' leftSection={<Icon name='upload' />} loading={importing.isPending}>
        Import
      </Button>
    )}
  </FileButton>
);

/** Accepts files that are dropped anywhere on the page. */
export function FileDrop({ onFiles, children }: { onFiles: (files: File[]) => void; children: ReactNode }) {
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      className='flows-drop'
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        if (event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}
