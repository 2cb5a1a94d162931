import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { Icon } from '../shared/icon.tsx';
import { SecretDialog } from '../shared/dialogs/secret_dialog.tsx';
import { requestLimits } from '../../types/limits/requests.ts';

/** A button that makes an API key, and shows it once. */
export function NewApiKey() {
  const { db } = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const make = async () => {
    const { data } = await db.rpc('create_api_key', { name }).throwOnError();
    await queries.invalidateQueries({ queryKey: ['settings', 'api_keys'] });
    // SAFETY: the function returns {id, name, prefix, created_at, key}.
    return (data as { key: string }).key;
  };
  return (
    <SecretDialog
      title='New API key'
      secretLabel='API key'
      leftSection={<Icon name='plus' />}
      make={make}
      onOpen={() => setName('')}
    >
      <TextInput
        label='Name'
        description='The service that uses it, so that you recognise the key later.'
        required
        maxLength={requestLimits.api_key_name_characters.value}
        value={name}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </SecretDialog>
  );
}
