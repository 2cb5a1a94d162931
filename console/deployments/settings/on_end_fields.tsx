import { Checkbox, Group, TextInput } from '@mantine/core';
import { useFault } from '../../shared/errors/field_faults.tsx';
import { EVENTS, type SettingsFieldsProps } from './settings.ts';
import { requestLimits } from '../../../types/limits/requests.ts';

/** The fields for the webhook address and the events that it receives. */
export function OnEndFields({ settings, change }: SettingsFieldsProps) {
  const fault = useFault();
  return (
    <>
      <TextInput
        label='Webhook address'
        description='This address gets a message when a run ends, or waits for a signature. Only runs that start from now on send messages. Leave empty for no messages.'
        maxLength={requestLimits.url_characters.value}
        error={fault('on_end')}
        value={settings.on_end_url}
        onChange={(event) => change({ on_end_url: event.currentTarget.value.trim() })}
      />
      <Checkbox.Group
        label='Events'
        value={settings.on_end_events}
        onChange={(events) => change({ on_end_events: EVENTS.filter((event) => events.includes(event)) })}
      >
        <Group mt='xs'>
          {EVENTS.map((event) => <Checkbox key={event} value={event} label={event.replace('_', ' ')} />)}
        </Group>
      </Checkbox.Group>
    </>
  );
}
