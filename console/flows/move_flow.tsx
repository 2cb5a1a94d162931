import { Autocomplete } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flowLimits } from '../../types/limits/flows.ts';
import { useApi } from '../shared/api.tsx';
import { FormDialog } from '../shared/dialogs/form_dialog.tsx';
import { useFolders } from './folders.ts';

/** A button that moves a flow to another folder. */
export function MoveFlow({ id, title, folder }: { id: number; title: string; folder: string }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const folders = useFolders();
  const [chosen, setChosen] = useState(folder);
  return (
    <FormDialog
      label='Move'
      title={`Move ${title}`}
      size='xs'
      px='xs'
      variant='default'
      onOpen={() => setChosen(folder)}
      save={async () => {
        await db.from('flows').update({ folder: chosen.trim() }).eq('id', id).throwOnError();
        await queries.invalidateQueries({ queryKey: ['flows'] });
      }}
    >
      <Autocomplete
        label='Folder'
        description='A new name makes a new folder. Leave it empty for no folder.'
        data={folders}
        maxLength={flowLimits.name_characters.value}
        value={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
