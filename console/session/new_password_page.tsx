import { Button, PasswordInput, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useDocumentTitle } from '../shared/page/use_document_title.ts';
import { Entrance } from './entrance.tsx';
import { useSessionStore } from './session_context.tsx';

/** A page to choose a new password, for a user who has come by the link of a mail. */
export default function NewPasswordPage() {
  useDocumentTitle('New password');
  const session = useSessionStore();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setError(undefined);
    setPending(true);
    try {
      await session.setPassword(String(new FormData(event.currentTarget).get('password')));
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };

  return (
    <Entrance
      error={error}
      onSubmit={submit}
      actions={<Button type='submit' loading={isPending}>Save the new password</Button>}
    >
      <Text size='sm'>Choose a new password for your account.</Text>
      <PasswordInput
        label='New password'
        name='password'
        autoComplete='new-password'
        required
        visibilityToggleButtonProps={{ 'aria-label': 'Show the characters' }}
      />
    </Entrance>
  );
}
