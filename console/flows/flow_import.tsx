import { Alert, Button, FileButton, List } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { Icon } from '../shared/icon.tsx';
import { fromEditorFile, insertFlow } from './flow_rows.ts';

/**
 * The size limit of a file, in bytes. It is higher than the limit of a flow (8 MiB), because the files of editors
 * contain spaces and further members.
 */
const MAX_FILE_BYTES = 32 * 1_048_576;

/** The most omitted parts of imported files that the page lists. */
const LISTED = 20;

export interface Importing {
  start: (files: File[]) => void;
  isPending: boolean;
  error: unknown;
  /** The parts that the last import left out. */
  leftOut: string[];
  reset: () => void;
}

/**
 * Stores the flows in files. If there is only one flow and the import left out no part of it, opens the flow in the
 * editor.
 */
export function useImport(): Importing {
  const { db } = useApi();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [leftOut, setLeftOut] = useState<string[]>([]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (files: File[]) => {
      const ids: number[] = [];
      // Set after each file, so that the list stays if a later file fails.
      let soFar: string[] = [];
      setLeftOut(soFar);
      for (const file of files) {
        try {
          if (file.size > MAX_FILE_BYTES) throw new Error('It has more than 32 MiB.');
          const flow = await fromEditorFile(await file.text());
          ids.push(await insertFlow(db, flow.row));
          soFar = [...soFar, ...flow.leftOut.map((what) => `${file.name}: ${what}`)];
          setLeftOut(soFar);
        } catch (failure) {
          throw Object.assign(failure as Error, { hint: `The file was ${file.name}.` });
        }
      }
      return { ids, isComplete: soFar.length === 0 };
    },
    onSuccess: ({ ids: [id, ...others], isComplete }) =>
      id !== undefined && others.length === 0 && isComplete && navigate(`/flows/${id}`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['flows', 'list'] }),
  });
  return {
    start: (files) => void (isPending || mutate(files)),
    isPending,
    error,
    leftOut,
    reset: () => setLeftOut([]),
  };
}

/** Lists the parts that the last import left out. */
export const LeftOutAlert = ({ importing: { leftOut, reset } }: { importing: Importing }) =>
  leftOut.length > 0 && (
    <Alert color='yellow' role='status' title='Imported, but not everything' withCloseButton onClose={reset}>
      <List size='sm'>
        {leftOut.slice(0, LISTED).map((what) => <List.Item key={what}>{what}</List.Item>)}
        {leftOut.length > LISTED && <List.Item>… and {leftOut.length - LISTED} more</List.Item>}
      </List>
    </Alert>
  );

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
