import { Anchor, Button, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useDocumentTitle } from '../shared/page/use_document_title.ts';
import { Entrance } from './entrance.tsx';
import type { SessionStore } from './session.ts';
import { useSessionStore } from './session_context.tsx';

/** The purpose of the form: the value of the button that sent it. */
type Purpose = 'in' | 'up' | 'recover';

/** Does what the form is for. Returns a notice for the user, if there is one. */
async function enter(session: SessionStore, purpose: Purpose, fields: FormData): Promise<string | undefined> {
  const email = String(fields.get('email'));
  const password = String(fields.get('password'));
  if (purpose === 'in') {
    await session.signIn(email, password);
  } else if (purpose === 'up') {
    const { mustConfirm } = await session.signUp(email, password);
    if (mustConfirm) return `A mail was sent to ${email}. Follow its link, then sign in.`;
  } else {
    await session.recover(email);
    return `If ${email} has an account, a mail is on its way. Follow its link to choose a new password.`;
  }
  return undefined;
}

const ABOUT =
  'A flow is a program that you draw: boxes joined by lines. Here you draw flows, let people and events start them, and see what each run did.';

/** A page to sign in, to sign up with the same two fields, or to ask for a mail after a forgotten password. */
export function SignInPage({ reason }: { reason?: string }) {
  useDocumentTitle('Sign in');
  const session = useSessionStore();
  const [error, setError] = useState<unknown>();
  const [notice, setNotice] = useState<string>();
  const [pending, setPending] = useState<Purpose>();
  const [hasForgotten, setForgotten] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    // SAFETY: the buttons have these values.
    const purpose = (submitter?.getAttribute('value') ?? 'in') as Purpose;
    setError(undefined);
    setNotice(undefined);
    setPending(purpose);
    try {
      setNotice(await enter(session, purpose, new FormData(event.currentTarget)));
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(undefined);
    }
  };
  const turn = () => {
    setForgotten(!hasForgotten);
    setError(undefined);
    setNotice(undefined);
  };

  return (
    <Entrance
      error={error}
      notice={notice}
      onSubmit={submit}
      actions={
        <>
          {hasForgotten
            ? <Button type='submit' value='recover' loading={pending === 'recover'}>Send the mail</Button>
            : (
              <Group grow>
                <Button type='submit' value='in' loading={pending === 'in'}>Sign in</Button>
                <Button type='submit' value='up' variant='default' loading={pending === 'up'}>Sign up</Button>
              </Group>
            )}
          <Anchor component='button' type='button' size='sm' c='dimmed' underline='always' onClick={turn}>
            {hasForgotten ? 'Back to signing in' : 'Forgotten password?'}
          </Anchor>
        </>
      }
    >
      <Text size='sm' c='dimmed'>{ABOUT}</Text>
      {reason !== undefined && <Text size='sm'>{reason}</Text>}
      <TextInput label='Email' name='email' type='email' autoComplete='username' required />
      {!hasForgotten && (
        <PasswordInput
          label='Password'
          name='password'
          autoComplete='current-password'
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show the characters' }}
        />
      )}
    </Entrance>
  );
}
