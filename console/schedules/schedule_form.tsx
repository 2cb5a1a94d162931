import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import { type FormEvent, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { focusUnreadable, type UnreadableTexts } from '../shared/form/unreadable_texts.ts';
import { useTargetDescription } from '../shared/targets/start_target.ts';
import { TargetFields } from '../shared/targets/target_fields.tsx';
import { asForm, checkDraft, type InputsDraft, readDraft, type Schedule, type ScheduleSettings } from './schedule.ts';
import { ScheduleInputs } from './schedule_inputs.tsx';
import { TimeFields } from './time_fields.tsx';

type NewRow = Database['public']['Tables']['flow_schedules']['Insert'];

/**
 * Returns the stored settings, or those of a new schedule. A new schedule starts the deployment that the address names,
 * if any.
 */
const settingsOf = (row: Schedule | undefined, deploymentId: string | null): ScheduleSettings => ({
  flow: row?.flow ?? null,
  tag: row === undefined ? (deploymentId === null ? 'latest' : null) : row.tag,
  deployment_id: row === undefined ? deploymentId : row.deployment_id,
  cron: row?.cron ?? '0 2 * * *',
  time_zone: row?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  policy: row?.policy ?? 'catch_up_one',
});

/** The settings of a schedule. If the database refuses a change, the form shows the database's message. */
export function ScheduleForm({ row }: { row: Schedule | undefined }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  const [parameters] = useSearchParams();
  const [settings, setSettings] = useState(() => settingsOf(row, parameters.get('deployment')));
  const [changed, setChanged] = useState<InputsDraft>();
  const [unreadable] = useState<UnreadableTexts>(() => new Map());
  const change = (part: Partial<ScheduleSettings>) => setSettings((old) => ({ ...old, ...part }));
  const description = useTargetDescription(settings);
  const taken = description.data?.inputs;
  // The stored inputs are converted to a form as soon as the inputs of the deployment are known.
  const stored = useMemo(
    () => asForm({ kind: 'form', values: row?.values ?? {}, inputs: row?.inputs ?? {} }, taken ?? []),
    [row, taken],
  );
  const draft = changed ?? stored;
  const save = useMutation({
    mutationFn: async () => {
      checkDraft(draft, taken);
      // SAFETY: values and inputs are JSON, and the database checks both.
      const columns = { ...settings, ...readDraft(draft) } as NewRow;
      const table = db.from('flow_schedules');
      await (row === undefined ? table.insert(columns) : table.update(columns).eq('id', row.id)).throwOnError();
      await queries.invalidateQueries({ queryKey: ['schedules'] });
    },
    onSuccess: () => goTo('/schedules'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!focusUnreadable(unreadable)) save.mutate();
  };
  return (
    <form onSubmit={submit} aria-label='Schedule'>
      <Stack maw={720}>
        <TargetFields target={settings} change={change} />
        <TimeFields settings={settings} change={change} />
        <ScheduleInputs draft={draft} change={setChanged} description={description} unreadable={unreadable} />
        <ErrorAlert error={save.error} />
        <Group>
          <Button type='submit' loading={save.isPending}>Save</Button>
        </Group>
      </Stack>
    </form>
  );
}
