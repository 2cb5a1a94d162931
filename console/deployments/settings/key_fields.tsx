import { Checkbox, Fieldset, NativeSelect, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import { useFault } from '../../shared/errors/field_faults.tsx';
import { deploymentLimits } from '../../../types/limits/deployments.ts';
import type { SettingsFieldsProps } from './settings.ts';

type NumberSetting =
  | 'max_running_per_key'
  | 'max_starts_per_key'
  | 'key_period_seconds'
  | 'debounce_seconds'
  | 'debounce_max_seconds';

const SECONDS = deploymentLimits.key_period_seconds.value;

/** The fields with numbers. An empty field means no limit. */
const NUMBERS: readonly {
  name: NumberSetting;
  label: string;
  description: string;
  placeholder?: string;
  max?: number;
}[] = [
  {
    name: 'max_running_per_key',
    label: 'Runs of a key at a time',
    description: 'A run keeps its place until it ends, also while it waits for somebody.',
    placeholder: 'No limit',
  },
  {
    name: 'max_starts_per_key',
    label: 'Starts of a key',
    description: 'In each period, with equal distances.',
    placeholder: 'No limit',
  },
  { name: 'key_period_seconds', label: 'Period, in seconds', description: 'Of the starts of a key.', max: SECONDS },
  {
    name: 'debounce_seconds',
    label: 'Seconds after the newest start',
    description: 'Until then, further starts replace the inputs of the run and postpone it.',
    max: SECONDS,
  },
  {
    name: 'debounce_max_seconds',
    label: 'Most seconds after the first start',
    description: 'A run that further starts postpone begins then at the latest.',
    max: SECONDS,
  },
];

/** Replaces the names of settings in a message by the labels of their fields. */
const inLabels = (message: string | undefined): string | undefined =>
  NUMBERS.reduce((text, { name, label }) => text?.replaceAll(name, `“${label}”`), message);

/** The limits by key: runs over a limit wait. */
export function KeyFields(
  { inputNames, settings, change }: SettingsFieldsProps & { inputNames: readonly string[] },
) {
  const fault = useFault();
  return (
    <Fieldset legend='Limits by key, also for you: runs over a limit wait'>
      <Stack gap='sm'>
        <NativeSelect
          label='Key'
          data={[
            { value: '', label: 'All runs have the same key' },
            { value: 'caller', label: 'The caller' },
            ...inputNames.filter((name) => name !== 'caller' && name !== '')
              .map((name) => ({ value: name, label: `Input ${name}` })),
          ]}
          value={settings.queue_key}
          onChange={(event) => change({ queue_key: event.currentTarget.value })}
        />
        <Checkbox
          label='Runs of different callers may have the same key'
          checked={settings.queue_key_shared}
          onChange={(event) => change({ queue_key_shared: event.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {NUMBERS.map(({ name, max = 2_147_483_647, ...texts }) => (
            <NumberInput
              key={name}
              {...texts}
              // Below the fields, so that the fields of a row are at one height.
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              min={1}
              max={max}
              error={inLabels(fault(name))}
              allowDecimal={false}
              allowNegative={false}
              value={settings[name]}
              onChange={(value) => change({ [name]: value })}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}
