import { Alert, Button, FileButton, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { type Api, useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { actsOnOwnerData } from './check_flow.ts';
import { deleteFlow, fromEditorFile, insertFlow, storeNodes } from './flow_rows.ts';

/**
 * The size limit of a file, in bytes. It is higher than the limit of a flow (8 MiB), because the files of editors
 * contain spaces and further members.
 */
const MAX_FILE_BYTES = 32 * 1_048_576;

/** The most omitted parts of imported files that the page lists. */
const LISTED = 20;

/** A flow that was stored from a file. */
interface StoredFlow {
  id: number;
  file: File;
}

interface Importing {
  start: (files: File[]) => void;
  isPending: boolean;
  error: unknown;
  /** The parts that the last import left out. */
  leftOut: string[];
  reset: () => void;
  /** The flows that may send the user's data away, while the page asks whether to keep them. */
  asked: StoredFlow[];
  /** Keeps the flows in `asked`. */
  keep: () => void;
  /** Deletes all flows of the last import. */
  undo: () => Promise<void>;
}

const inFile = (failure: unknown, file: File): Error =>
  Object.assign(failure as Error, { hint: `The file was ${file.name}.` });

/** Stores the flow of each file. `report` gets each stored flow, also if a later file fails. */
async function storeFiles({ db }: Api, files: File[], report: (stored: StoredFlow, leftOut: string[]) => void) {
  const flowIds = new Map<string, number>();
  const stored: (StoredFlow & { nodes: string })[] = [];
  let failure: Error | undefined;
  for (const file of files) {
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error('It has more than 32 MiB.');
      const flow = await fromEditorFile(await file.text(), flowIds);
      const id = await insertFlow(db, flow.row);
      if (flow.id !== undefined) flowIds.set(flow.id, id);
      stored.push({ id, file, nodes: JSON.stringify(flow.row.nodes) });
    } catch (error) {
      failure = inFile(error, file);
      break;
    }
  }
  // A flow may call a flow of a later file, or itself, so the calls are resolved when all ids are known.
  for (const { id, file, nodes } of stored) {
    const { row, leftOut } = await fromEditorFile(await file.text(), flowIds);
    if (JSON.stringify(row.nodes) !== nodes) await storeNodes(db, id, row.nodes);
    report({ id, file }, leftOut);
  }
  if (failure !== undefined) throw failure;
}

/**
 * Stores the flows in files. If there is only one flow and the import left out no part of it, opens the flow in the
 * editor. If a flow may send the user's data away, first asks whether to keep the flows.
 */
export function useImport(): Importing {
  const api = useApi();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [leftOut, setLeftOut] = useState<string[]>([]);
  const [stored, setStored] = useState<StoredFlow[]>([]);
  const [asked, setAsked] = useState<StoredFlow[]>([]);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['flows', 'list'] });
  const open = (flows: readonly StoredFlow[], lost: readonly string[]) => {
    const [flow, ...others] = flows;
    if (flow !== undefined && others.length === 0 && lost.length === 0) navigate(`/flows/${flow.id}`);
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (files: File[]) => {
      const flows: StoredFlow[] = [];
      const lost: string[] = [];
      setLeftOut([]);
      let failure: unknown;
      try {
        await storeFiles(api, files, (flow, what) => {
          flows.push(flow);
          lost.push(...what.map((part) => `${flow.file.name}: ${part}`));
        });
      } catch (error) {
        failure = error;
      }
      // The lists stay if a later file fails.
      setLeftOut(lost);
      setStored(flows);
      const acting: StoredFlow[] = [];
      for (const flow of flows) if (await actsOnOwnerData(api.db, flow.id)) acting.push(flow);
      setAsked(acting);
      if (failure !== undefined) throw failure;
      if (acting.length === 0) open(flows, lost);
    },
    onSettled: refresh,
  });
  return {
    start: (files) => void (isPending || mutate(files)),
    isPending,
    error,
    leftOut,
    reset: () => setLeftOut([]),
    asked,
    keep: () => {
      setAsked([]);
      open(stored, leftOut);
    },
    async undo() {
      for (const { id } of stored) await deleteFlow(api.db, id);
      setAsked([]);
      setLeftOut([]);
      await refresh();
    },
  };
}

/** Asks whether to keep imported flows that may send the user's data away. Nothing has run yet. */
export function DataQuestion({ importing: { asked, keep, undo } }: { importing: Importing }) {
  const undoing = useMutation({ mutationFn: undo });
  return (
    <Modal
      opened={asked.length > 0}
      onClose={keep}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title='This sends your data to other servers'
      size='lg'
    >
      <Stack>
        <Text size='sm'>
          These flows read your rows, files or key-value stores, and send requests that may contain them. A flow acts
          with your rights. Keep it only if you trust its author, and read where it sends what.
        </Text>
        <List size='sm' className='console-text'>
          {asked.slice(0, LISTED).map(({ id, file }) => <List.Item key={id}>{file.name}</List.Item>)}
          {asked.length > LISTED && <List.Item>… and {asked.length - LISTED} more</List.Item>}
        </List>
        <ErrorAlert error={undoing.error} />
        <Group justify='flex-end'>
          <Button variant='default' onClick={keep}>Keep them</Button>
          <Button loading={undoing.isPending} onClick={() => undoing.mutate()} data-autofocus>
            Delete the import
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
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
