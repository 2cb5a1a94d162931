import { useQueryClient } from '@tanstack/react-query';
import type { ConnectionRow } from 'flow-deployments-client';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { FormDialog } from '../shared/dialogs/form_dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { ConnectionFields } from './connection_fields.tsx';
import { draftOf, NEW_CONNECTION, toStore } from './draft.ts';

/** A button that stores a new connection and opens its page. */
export function NewConnectionButton() {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(NEW_CONNECTION);
  const save = async () => {
    const { id } = await flows.upsertConnection(toStore(draft));
    await queries.invalidateQueries({ queryKey: ['connections'] });
    navigate(`/connections/${id}`);
  };
  return (
    <FormDialog
      label='New connection'
      title='New connection'
      variant='filled'
      leftSection={<Icon name='plus' />}
      save={save}
      onOpen={() => setDraft(NEW_CONNECTION)}
    >
      <ConnectionFields draft={draft} change={setDraft} isStored={false} />
    </FormDialog>
  );
}

/**
 * A button that replaces a connection. The user must enter the whole secret again, because nobody can read the stored
 * secret.
 */
export function ReplaceConnectionButton({ row }: { row: ConnectionRow }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(row));
  const save = async () => {
    await flows.upsertConnection(toStore(draft));
    await queries.invalidateQueries({ queryKey: ['connections'] });
  };
  return (
    <FormDialog label='Replace' title={`Replace ${row.name}`} save={save} onOpen={() => setDraft(draftOf(row))}>
      <ConnectionFields draft={draft} change={setDraft} isStored />
    </FormDialog>
  );
}
