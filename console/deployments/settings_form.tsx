import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import { type FormEvent, useState } from 'react';
import { defaultStartLimits, guestsShare } from '../../types/start_limits.ts';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { Section } from '../shared/section.tsx';
import { type DeploymentDetails, identitiesQuery } from './deployment.ts';
import { FeesFields } from './fees_fields.tsx';
import { OnEndFields } from './on_end_fields.tsx';
import { changedColumns, readSettings, type Settings, type SettingsFieldsProps } from './settings.ts';
import { deploymentLimits } from '../../types/limits/deployments.ts';
import { flowLimits } from '../../types/limits/flows.ts';
import { requestLimits } from '../../types/limits/requests.ts';

const PERMISSIONS = [
  { value: 'Owner', label: 'Owner: only you' },
  { value: 'Authenticated', label: 'Authenticated: everybody who has signed up' },
  { value: 'Anonymous', label: 'Anonymous: anybody who shows a public key' },
];

const TextFields = ({ settings, change }: SettingsFieldsProps) => (
  <>
    <TextInput
      label='Name'
      maxLength={flowLimits.name_characters.value}
      value={settings.name}
      onChange={(event) => change({ name: event.currentTarget.value })}
    />
    <Textarea
      label='Description'
      description='What those who may start it read.'
      maxLength={deploymentLimits.description_characters.value}
      autosize
      minRows={2}
      maxRows={10}
      value={settings.description}
      onChange={(event) => change({ description: event.currentTarget.value })}
    />
    <TextInput
      label='Icon'
      description='The https address of a picture, which wallets show.'
      maxLength={requestLimits.url_characters.value}
      value={settings.icon_url}
      onChange={(event) => change({ icon_url: event.currentTarget.value.trim() })}
    />
  </>
);

function StartFields({ settings, change }: SettingsFieldsProps) {
  const { data: wallets = [] } = useQuery(identitiesQuery(useApi()));
  const { action_identity: identity } = settings;
  const isOffered = identity === '' || wallets.some(({ public_key }) => public_key === identity);
  return (
    <>
      <NativeSelect
        label='Who may start it'
        data={PERMISSIONS}
        value={settings.start_permission}
        onChange={(event) => change({ start_permission: event.currentTarget.value })}
      />
      <Checkbox
        label='Return the transaction instead of sending it'
        checked={settings.output_instructions}
        onChange={(event) => change({ output_instructions: event.currentTarget.checked })}
      />
      <NativeSelect
        label='Action identity'
        description='The wallet of yours that signs a memo, by which its transactions are found.'
        value={identity}
        onChange={(event) => change({ action_identity: event.currentTarget.value })}
        data={[
          { value: '', label: 'None' },
          ...wallets.map(({ name, public_key: key }) => ({
            value: key,
            label: name === '' ? key : `${name} (${key})`,
          })),
          ...(isOffered ? [] : [{ value: identity, label: identity }]),
        ]}
      />
    </>
  );
}

const NetworkFields = ({ settings, change }: SettingsFieldsProps) => (
  <Fieldset legend='Network'>
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NativeSelect
        label='Cluster'
        data={['devnet', 'testnet', 'mainnet-beta']}
        value={settings.cluster}
        onChange={(event) => change({ cluster: event.currentTarget.value })}
      />
      <TextInput
        label='RPC address'
        required
        maxLength={requestLimits.url_characters.value}
        value={settings.url}
        onChange={(event) => change({ url: event.currentTarget.value.trim() })}
      />
    </SimpleGrid>
  </Fieldset>
);

const LIMIT = { min: 0, max: 2_147_483_647, allowDecimal: false, allowNegative: false } as const;

/** A limit. Its field may stay empty for the default. */
function LimitField(
  { name, label, settings, change }: SettingsFieldsProps & {
    name: 'max_starts_per_minute' | 'max_runs_in_flight';
    label: string;
  },
) {
  const isDefault = settings[name] === '';
  const limit = isDefault ? defaultStartLimits(settings.start_permission)[name] : Number(settings[name]);
  const guests = settings.start_permission === 'Anonymous'
    ? `${guestsShare(limit).toLocaleString('en')} of them by callers without an account. `
    : '';
  return (
    <NumberInput
      {...LIMIT}
      label={label}
      description={`${guests}${
        isDefault ? 'This is the default: enter a number to change it.' : 'Leave empty for the default.'
      }`}
      placeholder={limit.toLocaleString('en')}
      value={settings[name]}
      onChange={(value) => change({ [name]: value })}
    />
  );
}

const LimitFields = (props: SettingsFieldsProps) => (
  <Fieldset legend='Limits of all callers but you, together'>
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <LimitField {...props} name='max_starts_per_minute' label='Starts per minute' />
      <LimitField {...props} name='max_runs_in_flight' label='Runs at a time' />
    </SimpleGrid>
  </Fieldset>
);

type DeploymentUpdate = Database['public']['Tables']['flow_deployments']['Update'];

/** The settings that the owner can change. Refusals are shown in the database's words. */
export function SettingsForm({ deployment }: { deployment: DeploymentDetails }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [stored, setStored] = useState(() => readSettings(deployment));
  const [settings, setSettings] = useState(stored);
  const change = (changed: Partial<Settings>) => setSettings((old) => ({ ...old, ...changed }));
  const columns = changedColumns(stored, settings);
  const isChanged = Object.keys(columns).length > 0;
  const save = useMutation({
    mutationFn: async () => {
      // SAFETY: the database checks each column and names the faults.
      await db.from('flow_deployments').update(columns as DeploymentUpdate).eq('id', deployment.id).throwOnError();
      setStored(settings);
      await queries.invalidateQueries({ queryKey: ['deployments'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) save.mutate();
  };
  const fields = { settings, change };
  return (
    <Section title='Settings'>
      <form onSubmit={submit} aria-label='Settings'>
        <Stack maw={760}>
          <TextFields {...fields} />
          <StartFields {...fields} />
          <FeesFields {...fields} />
          <NetworkFields {...fields} />
          <LimitFields {...fields} />
          <OnEndFields {...fields} />
          <ErrorAlert error={save.error} />
          <Group>
            <Button type='submit' loading={save.isPending} disabled={!isChanged}>Save</Button>
            <Text size='sm' role='status'>{save.isSuccess && !isChanged ? 'Saved' : isChanged ? 'Not saved' : ''}</Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
