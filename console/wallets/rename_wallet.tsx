import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { FormDialog } from '../shared/dialogs/form_dialog.tsx';
import { flowLimits } from '../../types/limits/flows.ts';

/** A button that renames a wallet. */
export function RenameWallet({ id, name, title }: { id: number; name: string; title: string }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const rename = async () => {
    await db.from('wallets').update({ name: typed }).eq('id', id).throwOnError();
    await queries.invalidateQueries({ queryKey: ['wallets'] });
  };
  return (
    <FormDialog label='Rename' title={`Rename ${title}`} size='xs' save={rename} onOpen={() => setTyped(name)}>
      <TextInput
        label='Name'
        value={typed}
        maxLength={flowLimits.name_characters.value}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
