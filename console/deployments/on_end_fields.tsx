import { Checkbox, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { EVENTS, type SettingsFieldsProps } from './settings.ts';

/** Where runs are told of, and which of their events. */
export const OnEndFields = ({ settings, change }: SettingsFieldsProps) => (
  <Fieldset legend='Webhook'>
    <Stack gap='sm'>
      <TextInput
        label='Webhook address'
        description='Runs that start from now on tell it when they end, or wait for a signature. Empty: nobody is told.'
        maxLength={2048}
        value={settings.on_end_url}
        onChange={(event) => change({ on_end_url: event.currentTarget.value.trim() })}
      />
      <Checkbox.Group
        label='Events'
        value={settings.on_end_events}
        onChange={(events) => change({ on_end_events: EVENTS.filter((event) => events.includes(event)) })}
      >
        <Group mt='xs'>{EVENTS.map((event) => <Checkbox key={event} value={event} label={event} />)}</Group>
      </Checkbox.Group>
    </Stack>
  </Fieldset>
);
