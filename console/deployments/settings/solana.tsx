import { Checkbox, Fieldset, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { requestLimits } from '../../../types/limits/requests.ts';
import { useApi } from '../../shared/api.tsx';
import { identitiesQuery } from '../deployment.ts';
import type { DeploymentTabProps } from '../tab_props.ts';
import { ActionLink } from './action_link.tsx';
import { FeesFields } from './fees_fields.tsx';
import type { Settings, SettingsFieldsProps } from './settings.ts';
import { SettingsForm } from './settings_form.tsx';

function TransactionFields({ settings, change }: SettingsFieldsProps) {
  const { data: wallets = [] } = useQuery(identitiesQuery(useApi()));
  const { action_identity: identity } = settings;
  const isOffered = identity === '' || wallets.some(({ public_key }) => public_key === identity);
  return (
    <>
      <Checkbox
        label='Return the transaction instead of sending it'
        checked={settings.output_instructions}
        onChange={(event) => change({ output_instructions: event.currentTarget.checked })}
      />
      <NativeSelect
        label='Action identity'
        description='One of your wallets. It signs a memo, by which a run finds a transaction that others send.'
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

const FIELDS: (keyof Settings)[] = ['output_instructions', 'action_identity', 'fees', 'url', 'cluster'];

/** The settings of the transactions that runs make. */
export default function Solana({ deployment, draft }: DeploymentTabProps) {
  return (
    <>
      <SettingsForm title='Solana' draft={draft} fields={FIELDS}>
        <TransactionFields {...draft} />
        <FeesFields {...draft} />
        <NetworkFields {...draft} />
      </SettingsForm>
      <ActionLink deployment={deployment} />
    </>
  );
}
