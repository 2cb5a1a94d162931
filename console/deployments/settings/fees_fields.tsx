import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { Icon } from '../../shared/icon.tsx';
import type { Fee } from '../deployment.ts';
import type { SettingsFieldsProps } from './settings.ts';
import { deploymentLimits } from '../../../types/limits/deployments.ts';

/** The most fees that the database accepts. A transaction may have room for fewer fees. */
const MAX_FEES = deploymentLimits.fees.value;

/** The fields for the transfers that are added to the first transaction of a run. */
export function FeesFields({ settings: { fees }, change }: SettingsFieldsProps) {
  const set = (index: number, changed: Partial<Fee>) =>
    change({ fees: fees.map((fee, place) => place === index ? { ...fee, ...changed } : fee) });
  return (
    <Fieldset legend='Fees'>
      <Stack gap='sm'>
        <Text size='sm' c='dimmed'>
          Transfers that are added to the first transaction of a run. 1 SOL is 1,000,000,000 lamports.
        </Text>
        {fees.map(({ address, lamports }, index) => (
          <Group key={index} align='flex-end'>
            <TextInput
              label={`Address of fee ${index + 1}`}
              required
              flex='1 1 16rem'
              value={address}
              onChange={(event) => set(index, { address: event.currentTarget.value.trim() })}
            />
            <TextInput
              label={`Lamports of fee ${index + 1}`}
              required
              inputMode='numeric'
              flex='0 1 12rem'
              value={lamports}
              onChange={(event) => set(index, { lamports: event.currentTarget.value.trim() })}
            />
            <Button
              variant='default'
              aria-label={`Remove fee ${index + 1}`}
              onClick={() => change({ fees: fees.filter((_fee, place) => place !== index) })}
            >
              <Icon name='trash' />
            </Button>
          </Group>
        ))}
        <Group>
          <Button
            variant='default'
            size='xs'
            leftSection={<Icon name='plus' size={14} />}
            disabled={fees.length >= MAX_FEES}
            onClick={() => change({ fees: [...fees, { address: '', lamports: '' }] })}
          >
            Add a fee
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
