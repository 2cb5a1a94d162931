import { Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Logo } from '../shared/logo.tsx';
import { useDocumentTitle } from '../shared/page/use_document_title.ts';
import { useSessionStore } from './session_context.tsx';

/** A page to sign in, or to sign up with the same two fields. */
export function SignInPage() {
  useDocumentTitle('Sign in');
  const session = useSessionStore();
  const [error, setError] = useState<unknown>();
  const [notice, setNotice] = useState<string>();
  const [pending, setPending] = useState<'in' | 'up'>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    const isSigningUp = submitter?.getAttribute('value') === 'up';
    const fields = new FormData(form);
    const email = String(fields.get('email'));
    const password = String(fields.get('password'));
    setError(undefined);
    setNotice(undefined);
    setPending(isSigningUp ? 'up' : 'in');
    try {
      if (!isSigningUp) await session.signIn(email, password);
      else if ((await session.signUp(email, password)).mustConfirm) {
        setNotice(`A mail was sent to ${email}. Follow its link, then sign in.`);
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(undefined);
    }
  };

  return (
    <Center component='main' mih='100dvh' p='md'>
      <Card withBorder shadow='sm' padding='xl' w='100%' maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Group gap='sm'>
              <Logo />
              <Title order={1} size='h3'>Flow console</Title>
            </Group>
            <TextInput label='Email' name='email' type='email' autoComplete='username' required />
            <PasswordInput
              label='Password'
              name='password'
              autoComplete='current-password'
              required
              visibilityToggleButtonProps={{ 'aria-label': 'Show the characters' }}
            />
            <ErrorAlert error={error} />
            <Text role='status' size='sm'>{notice}</Text>
            <Group grow>
              <Button type='submit' value='in' loading={pending === 'in'}>Sign in</Button>
              <Button type='submit' value='up' variant='default' loading={pending === 'up'}>Sign up</Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
