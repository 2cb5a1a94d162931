import { Fieldset, NativeSelect, NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { deploymentLimits } from '../../../types/limits/deployments.ts';
import { flowLimits } from '../../../types/limits/flows.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import { defaultStartLimits, guestsShare } from '../../../types/start_limits.ts';
import { START_PERMISSIONS } from '../../shared/deploying/start_permissions.ts';
import { useFault } from '../../shared/errors/field_faults.tsx';
import type { DeploymentTabProps } from '../tab_props.ts';
import { KeyFields } from './key_fields.tsx';
import type { Settings, SettingsFieldsProps } from './settings.ts';
import { SettingsForm } from './settings_form.tsx';

function TextFields({ settings, change }: SettingsFieldsProps) {
  const fault = useFault();
  return (
    <>
      <TextInput
        label='Name'
        maxLength={flowLimits.name_characters.value}
        value={settings.name}
        error={fault('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Textarea
        label='Description'
        description='Callers who may start the deployment see this text.'
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
        error={fault('icon_url')}
        onChange={(event) => change({ icon_url: event.currentTarget.value.trim() })}
      />
    </>
  );
}

const LIMIT = { min: 0, max: 2_147_483_647, allowDecimal: false, allowNegative: false } as const;

/** The field of a limit. An empty field means the default. */
function LimitField(
  { name, label, settings, change }: SettingsFieldsProps & {
    name: 'max_starts_per_minute' | 'max_runs_in_flight';
    label: string;
  },
) {
  const fault = useFault();
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
      error={fault(name)}
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

/** The most tokens of models. An empty field means no limit. */
const TokenFields = ({ settings, change }: SettingsFieldsProps) => (
  <Fieldset legend='Tokens of models, for all runs'>
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {([['run_tokens', 'Tokens of a run'], ['day_tokens', 'Tokens of a day (UTC)']] as const).map(([name, label]) => (
        <NumberInput
          {...LIMIT}
          key={name}
          min={1}
          max={Number.MAX_SAFE_INTEGER}
          label={label}
          placeholder='No limit'
          value={settings[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
    </SimpleGrid>
  </Fieldset>
);

const FIELDS: (keyof Settings)[] = [
  'name',
  'description',
  'icon_url',
  'start_permission',
  'max_starts_per_minute',
  'max_runs_in_flight',
  'queue_key',
  'queue_key_shared',
  'max_running_per_key',
  'max_starts_per_key',
  'key_period_seconds',
  'debounce_seconds',
  'debounce_max_seconds',
  'run_tokens',
  'day_tokens',
];

/** The settings for the callers: who may start the deployment, how often, and what they may read about it. */
export default function Access({ deployment, draft }: DeploymentTabProps) {
  const { settings, change } = draft;
  return (
    <SettingsForm title='Access and limits' draft={draft} fields={FIELDS}>
      <NativeSelect
        label='Who may start it'
        data={START_PERMISSIONS}
        value={settings.start_permission}
        onChange={(event) => change({ start_permission: event.currentTarget.value })}
      />
      <LimitFields {...draft} />
      <KeyFields {...draft} inputNames={deployment.input_names} />
      <TokenFields {...draft} />
      <TextFields {...draft} />
    </SettingsForm>
  );
}
