import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Section } from '../shared/page/section.tsx';
import { ShortKey } from '../shared/short_key.tsx';
import { type ConnectingWallet, useBrowserWallets } from '../shared/wallet/browser_wallets.ts';
import { connectWallet } from '../shared/wallet/connect_wallet.ts';
import { GuestButton } from './guest_button.tsx';
import type { Starter } from './starter.ts';

function TypedKey({ choose }: { choose: (publicKey: string) => void }) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(typed);
  };
  return (
    <form onSubmit={submit}>
      <Group align='flex-end' pt='xs'>
        <TextInput
          label='Public key'
          description='Base58 of 32 bytes.'
          required
          pattern='[1-9A-HJ-NP-Za-km-z]{32,44}'
          title='Base58 of 32 bytes'
          flex='1 1 16rem'
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value.trim())}
        />
        <Button type='submit' variant='default'>Use this key</Button>
      </Group>
    </form>
  );
}

interface WhoStartsProps {
  starter: Starter | undefined;
  /** Called with undefined to clear the choice. */
  setStarter: (starter: Starter | undefined) => void;
  onSignIn: () => void;
}

/** The choice of the starter: a guest, the key of a wallet, or the signed-in user. */
export function WhoStarts({ starter, setStarter, onSignIn }: WhoStartsProps) {
  const wallets = useBrowserWallets();
  const setKey = (publicKey: string, isGuest = false) => setStarter({ kind: 'key', publicKey, isGuest });
  const connect = useMutation({
    mutationFn: async (wallet: ConnectingWallet) => setKey(await connectWallet(wallet)),
  });
  if (starter !== undefined) {
    return (
      <Group justify='space-between' role='group' aria-label='Who starts'>
        <Text size='sm' className='console-text' flex='1 1 12rem'>
          You start as {starter.kind === 'user' ? starter.email : starter.isGuest ? 'a guest' : (
            <>
              the wallet <ShortKey value={starter.publicKey} />
            </>
          )}.
        </Text>
        {starter.kind === 'key' && (
          <Button size='xs' variant='default' onClick={() => setStarter(undefined)}>Change</Button>
        )}
      </Group>
    );
  }
  return (
    <Section title='Who are you?'>
      <Stack>
        <GuestButton choose={(publicKey) => setKey(publicKey, true)} />
        {wallets.map((wallet, index) => (
          <Button
            key={`${wallet.name} ${index}`}
            variant='default'
            size='md'
            fullWidth
            loading={connect.isPending}
            onClick={() => connect.mutate(wallet)}
          >
            Connect {wallet.name}
          </Button>
        ))}
        <ErrorAlert error={connect.error} />
        <Button variant='default' size='md' fullWidth onClick={onSignIn}>Sign in</Button>
        <details className='console-folded'>
          <summary>Use the key of a wallet that this browser does not have</summary>
          <TypedKey choose={setKey} />
        </details>
      </Stack>
    </Section>
  );
}
