import { Alert, Button, Group, Modal, PasswordInput, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { callFunction } from '../shared/call_function.ts';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { faultOf } from '../shared/errors/field_faults.tsx';
import { Icon } from '../shared/icon.tsx';
import { makeKeyPair, publicKeyOf } from './key_pair.ts';
import { flowLimits } from '../../types/limits/flows.ts';

type Kind = 'ADAPTER' | 'HARDCODED';

function KeyPairFields({ keypair, setKeypair }: { keypair: string; setKeypair: (keypair: string) => void }) {
  const [isNew, setNew] = useState(false);
  return (
    <>
      <PasswordInput
        label='Key pair'
        description='Base58 of 64 bytes: the secret key, then the public key. It is stored encrypted, and never shown again.'
        value={keypair}
        required
        autoComplete='off'
        visibilityToggleButtonProps={{ 'aria-label': 'Show the key pair' }}
        onChange={(event) => {
          setNew(false);
          setKeypair(event.currentTarget.value.trim());
        }}
      />
      <Group>
        <Button
          variant='default'
          size='xs'
          onClick={() => {
            setNew(true);
            setKeypair(makeKeyPair());
          }}
        >
          Make a new key pair
        </Button>
      </Group>
      {isNew && (
        <Alert color='yellow' role='status' title='Keep a copy of the key pair'>
          The key pair can't be shown again after it is stored. Show it now, and copy it to a safe place.
        </Alert>
      )}
    </>
  );
}

/** The form for a new wallet of either kind. */
function WalletForm({ kind, onDone }: { kind: Kind; onDone: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [publicKey, setPublicKey] = useState('');
  const [keypair, setKeypair] = useState('');
  const add = useMutation({
    mutationFn: async () => {
      if (kind === 'ADAPTER') {
        await api.db.from('wallets').insert({ type: kind, name, public_key: publicKey }).throwOnError();
      } else {
        const body = { type: kind, name, public_key: publicKeyOf(keypair), keypair };
        await callFunction(api, 'wallets/upsert', body);
      }
      await queries.invalidateQueries({ queryKey: ['wallets'] });
    },
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack pt='md'>
        <Text size='sm' c='dimmed'>
          {kind === 'ADAPTER'
            ? 'The secret key stays with you. If a run needs a signature, it asks you for it and waits.'
            : 'The runner signs by itself, but only in your flows that name this key.'}
        </Text>
        <TextInput
          label='Name'
          error={faultOf(add.error, 'name')}
          value={name}
          maxLength={flowLimits.name_characters.value}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {kind === 'ADAPTER'
          ? (
            <TextInput
              label='Public key'
              description='Base58 of 32 bytes.'
              error={faultOf(add.error, 'public_key')}
              value={publicKey}
              required
              onChange={(event) => setPublicKey(event.currentTarget.value.trim())}
            />
          )
          : <KeyPairFields keypair={keypair} setKeypair={setKeypair} />}
        <ErrorAlert error={add.error} />
        <Group justify='flex-end'>
          <Button type='submit' loading={add.isPending}>Add</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A button that adds a wallet. */
export function AddWallet() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open} leftSection={<Icon name='plus' />}>New wallet</Button>
      <Modal opened={isOpen} onClose={close} title='New wallet' centered>
        <Tabs defaultValue='ADAPTER' keepMounted={false}>
          <Tabs.List aria-label='Kind of wallet'>
            <Tabs.Tab value='ADAPTER'>A wallet of mine</Tabs.Tab>
            <Tabs.Tab value='HARDCODED'>A key pair</Tabs.Tab>
          </Tabs.List>
          {(['ADAPTER', 'HARDCODED'] as const).map((kind) => (
            <Tabs.Panel key={kind} value={kind}>
              <WalletForm kind={kind} onDone={close} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Modal>
    </>
  );
}
