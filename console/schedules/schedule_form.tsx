import { Button, Group, Radio, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { CodeEditor } from '../shared/code_editor.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { useFlowChoices } from '../shared/use_flow_choices.ts';
import { type ScheduleRow, type ScheduleSettings } from './schedule.ts';

/** The zones that the browser knows; the database has the last word. */
const TIME_ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

const POLICIES = [
  { value: 'catch_up_one', label: 'Start once, late, for all that were missed' },
  { value: 'skip', label: 'Wait for the next planned time' },
];

const TARGETS = [
  { value: 'flow', label: 'A flow, by the tag that it has at the time' },
  { value: 'deployment', label: 'One deployment' },
];

interface TargetFieldsProps {
  settings: ScheduleSettings;
  change: (changed: Partial<ScheduleSettings>) => void;
}

function TargetFields({ settings, change }: TargetFieldsProps) {
  const flows = useFlowChoices();
  const [target, setTarget] = useState(settings.deployment_id === null ? 'flow' : 'deployment');
  const choose = (next: string) => {
    setTarget(next);
    change(next === 'flow' ? { deployment_id: null, tag: 'latest' } : { flow: null, tag: null });
  };
  return (
    <Stack>
      <Radio.Group label='What it starts' value={target} onChange={choose}>
        <Stack gap='xs' mt='xs'>
          {TARGETS.map(({ value, label }) => <Radio key={value} value={value} label={label} />)}
        </Stack>
      </Radio.Group>
      {target === 'flow'
        ? (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label='Flow'
              data={flows}
              searchable
              required
              nothingFoundMessage='No flow of yours has this name'
              value={settings.flow === null ? null : String(settings.flow)}
              onChange={(flow) => change({ flow: flow === null ? null : Number(flow) })}
            />
            <TextInput
              label='Tag'
              required
              value={settings.tag ?? ''}
              onChange={(event) => change({ tag: event.currentTarget.value })}
            />
          </SimpleGrid>
        )
        : (
          <TextInput
            label='Deployment'
            description='Its id.'
            required
            value={settings.deployment_id ?? ''}
            onChange={(event) => change({ deployment_id: event.currentTarget.value.trim() })}
          />
        )}
    </Stack>
  );
}

const settingsOf = (row: ScheduleRow | undefined): ScheduleSettings => ({
  flow: row?.flow ?? null,
  tag: row === undefined ? 'latest' : row.tag,
  deployment_id: row?.deployment_id ?? null,
  cron: row?.cron ?? '0 2 * * *',
  time_zone: row?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  inputs: row?.inputs ?? {},
  policy: row?.policy ?? 'catch_up_one',
  is_active: row?.is_active ?? true,
});

/** The settings of a schedule. What the database finds wrong is shown in its words. */
export function ScheduleForm({ row }: { row: ScheduleRow | undefined }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  const [settings, setSettings] = useState(() => settingsOf(row));
  const [inputs, setInputs] = useState(() => JSON.stringify(settings.inputs, undefined, 2));
  const change = (changed: Partial<ScheduleSettings>) => setSettings((old) => ({ ...old, ...changed }));
  const save = useMutation({
    mutationFn: async () => {
      const stored = { ...settings, inputs: JSON.parse(inputs) };
      const table = db.from('flow_schedules');
      await (row === undefined ? table.insert(stored) : table.update(stored).eq('id', row.id)).throwOnError();
      await queries.invalidateQueries({ queryKey: ['schedules'] });
    },
    onSuccess: () => goTo('/schedules'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={720}>
        <TargetFields settings={settings} change={change} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label='When'
            description='Cron: minute, hour, day of month, month, day of week.'
            required
            maxLength={100}
            value={settings.cron}
            onChange={(event) => change({ cron: event.currentTarget.value })}
          />
          <Select
            label='Time zone'
            description='By whose clocks it is due.'
            data={TIME_ZONES}
            searchable
            allowDeselect={false}
            limit={50}
            value={settings.time_zone}
            onChange={(time_zone) => time_zone !== null && change({ time_zone })}
          />
        </SimpleGrid>
        <Select
          label='When a planned time was missed'
          data={POLICIES}
          allowDeselect={false}
          value={settings.policy}
          onChange={(policy) => policy !== null && change({ policy })}
        />
        <Stack gap={4}>
          <Text size='sm' fw={600} component='span'>Inputs</Text>
          <Text size='xs' c='dimmed'>
            Values with their tags, such as {'{"amount": {"D": "1.5"}, "to": {"S": "you"}}'}.
          </Text>
          <CodeEditor label='Inputs' language='json' value={inputs} onChange={setInputs} />
        </Stack>
        <ErrorAlert error={save.error} />
        <Group>
          <Button type='submit' loading={save.isPending}>Save</Button>
        </Group>
      </Stack>
    </form>
  );
}
