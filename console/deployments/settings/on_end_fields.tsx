import { Checkbox, Group, TextInput } from '@mantine/core';
import { EVENTS, type SettingsFieldsProps } from './settings.ts';
import { requestLimits } from '../../../types/limits/requests.ts';

/** The fields for the webhook address and the events that it receives. */
export const OnEndFields = ({ settings, change }: SettingsFieldsProps) => (
  <>
    <TextInput
      label='Webhook address'
      description='This address gets a message when a run ends, or waits for a signature. Only runs that start from now on send messages. Leave empty for no messages.'
      maxLength={requestLimits.url_characters.value}
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
