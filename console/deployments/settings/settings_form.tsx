import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import type { FormEvent, ReactNode } from 'react';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { FieldFaults } from '../../shared/errors/field_faults.tsx';
import { Section } from '../../shared/page/section.tsx';
import { changedColumns, type Settings } from './settings.ts';
import type { SettingsDraft } from './use_settings.ts';

type DeploymentUpdate = Database['public']['Tables']['flow_deployments']['Update'];

interface SettingsFormProps {
  title: string;
  draft: SettingsDraft;
  /** The settings that this form shows and stores. */
  fields: readonly (keyof Settings)[];
  children: ReactNode;
}

/**
 * A form for some of the settings that the owner can change. If the database refuses a change, the form shows the
 * database's message.
 */
export function SettingsForm({ title, draft, fields, children }: SettingsFormProps) {
  const { db } = useApi();
  const queries = useQueryClient();
  const { deploymentId, stored, settings, setStored } = draft;
  const wanted: Settings = { ...stored, ...Object.fromEntries(fields.map((field) => [field, settings[field]])) };
  const columns = changedColumns(stored, wanted);
  const isChanged = Object.keys(columns).length > 0;
  const save = useMutation({
    mutationFn: async () => {
      // SAFETY: the database checks each column and names the faults.
      await db.from('flow_deployments').update(columns as DeploymentUpdate).eq('id', deploymentId).throwOnError();
      setStored(wanted);
      await queries.invalidateQueries({ queryKey: ['deployments'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) save.mutate();
  };
  return (
    <Section title={title}>
      <form onSubmit={submit} aria-label={title}>
        <Stack maw={760}>
          <FieldFaults error={save.error}>{children}</FieldFaults>
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
