import { Button, Group, Modal, NumberInput, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { SecretOnce } from '../shared/secret_once.tsx';
import { VERIFICATIONS } from './verifications.ts';

interface Settings {
  flow: number | '';
  tag: string;
  input: string;
  headers: string;
  verification: string;
  secret: string;
}

const EMPTY: Settings = { flow: '', tag: 'latest', input: '', headers: '', verification: '', secret: '' };

const namesOf = (text: string): string[] => text.split(/[,\s]/).filter((name) => name !== '');

interface WebhookFormProps {
  onMade: (url: string) => void;
}

function WebhookForm({ onMade }: WebhookFormProps) {
  const { db } = useApi();
  const [settings, setSettings] = useState(EMPTY);
  const change = (changed: Partial<Settings>) => setSettings((old) => ({ ...old, ...changed }));
  const make = useMutation({
    mutationFn: async () => {
      const { flow, tag, input, headers, verification, secret } = settings;
      const { data } = await db.rpc('create_webhook', {
        flow: Number(flow),
        tag,
        input,
        headers: namesOf(headers),
        ...(verification !== '' && { verification }),
        ...(secret !== '' && { secret }),
      }).throwOnError();
      // SAFETY: the function answers the row and its `url`.
      return (data as { url: string }).url;
    },
    onSuccess: onMade,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Group grow align='flex-start'>
          <NumberInput
            label='Flow'
            description='Its number.'
            required
            min={1}
            allowDecimal={false}
            hideControls
            data-autofocus
            value={settings.flow}
            onChange={(flow) => change({ flow: typeof flow === 'number' ? flow : '' })}
          />
          <TextInput
            label='Tag'
            description='Which deployment.'
            required
            value={settings.tag}
            onChange={(event) => change({ tag: event.currentTarget.value })}
          />
        </Group>
        <TextInput
          label='Input'
          description='The input of the flow that gets the JSON of the request.'
          required
          maxLength={256}
          value={settings.input}
          onChange={(event) => change({ input: event.currentTarget.value })}
        />
        <TextInput
          label='Headers'
          description='Names of headers that the input gets, too, such as x-github-event. It then is {body, headers}.'
          value={settings.headers}
          onChange={(event) => change({ headers: event.currentTarget.value })}
        />
        <Select
          label='Verified by'
          data={VERIFICATIONS}
          allowDeselect={false}
          value={settings.verification}
          onChange={(verification) => change({ verification: verification ?? '' })}
        />
        {settings.verification !== '' && (
          <PasswordInput
            label='Secret'
            description='The sender has the same one. Without it, all requests are refused until it is set.'
            autoComplete='off'
            visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
            value={settings.secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
          />
        )}
        <ErrorAlert error={make.error} />
        <Group justify='flex-end'>
          <Button type='submit' loading={make.isPending}>Make</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A button that makes a webhook, and shows its URL this once. */
export function NewWebhook({ onMade }: { onMade: () => void }) {
  const [isOpen, { open, close }] = useDisclosure();
  const [url, setUrl] = useState<string>();
  return (
    <>
      <Button
        leftSection={<Icon name='plus' />}
        onClick={() => {
          setUrl(undefined);
          open();
        }}
      >
        New webhook
      </Button>
      <Modal opened={isOpen} onClose={close} title='New webhook' closeOnClickOutside={url === undefined}>
        {url === undefined
          ? (
            <WebhookForm
              onMade={(made) => {
                setUrl(made);
                onMade();
              }}
            />
          )
          : <SecretOnce label='URL' secret={url} onDone={close} />}
      </Modal>
    </>
  );
}
