import { Autocomplete, Radio, Select, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.tsx';
import { FlowSelect } from './flow_select.tsx';
import type { StartTarget } from './start_target.ts';
import { type FlowChoice, withChosen } from './use_flow_choices.ts';
import { exactTime, useDateFormat } from '../time/dates.ts';
import { deploymentLimits } from '../../../types/limits/deployments.ts';

/** The most deployments, or tags, in a list. */
const OFFERED = 200;

const KINDS = [
  { value: 'flow', label: 'A flow and a tag, which each start looks up' },
  { value: 'deployment', label: 'One deployment' },
];

/** Reads the newest deployments of the user. */
function useDeploymentChoices(): FlowChoice[] {
  const { db } = useApi();
  const format = useDateFormat();
  const { data = [] } = useQuery({
    queryKey: ['deployments', 'choices', format],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments').select('id, name, created_at, entrypoint, flows(name)')
        .order('id', { ascending: false }).limit(OFFERED).abortSignal(signal).throwOnError();
      return data.map(({ id, name, created_at, entrypoint, flows }) => ({
        value: id,
        label: `${name || flows?.name || `Flow ${entrypoint}`}, ${exactTime(new Date(created_at), format)}`,
      }));
    },
  });
  return data;
}

/** Reads the tags of a flow. */
function useTagChoices(flow: number | null): string[] {
  const { db } = useApi();
  const { data = [] } = useQuery({
    queryKey: ['deployments', 'tag choices', flow],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments_tags').select('tag').eq('entrypoint', flow!).order('tag')
        .limit(OFFERED).abortSignal(signal).throwOnError();
      return data.map(({ tag }) => tag);
    },
    enabled: flow !== null,
  });
  return data.includes('latest') ? data : ['latest', ...data];
}

interface TargetFieldsProps {
  target: StartTarget;
  change: (target: StartTarget) => void;
}

function FlowFields({ target: { flow, tag }, change }: TargetFieldsProps) {
  const tags = useTagChoices(flow);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <FlowSelect
        value={flow === null ? null : String(flow)}
        onChange={(chosen) => change({ flow: chosen, tag, deployment_id: null })}
      />
      <Autocomplete
        label='Tag'
        data={tags}
        required
        maxLength={deploymentLimits.tag_characters.value}
        value={tag ?? ''}
        onChange={(typed) => change({ flow, tag: typed.trim(), deployment_id: null })}
      />
    </SimpleGrid>
  );
}

function DeploymentField({ target: { deployment_id: chosen }, change }: TargetFieldsProps) {
  const deployments = withChosen(useDeploymentChoices(), chosen, chosen ?? '');
  return (
    <Select
      label='Deployment'
      data={deployments}
      searchable
      required
      nothingFoundMessage='No deployment of yours has this name'
      value={chosen}
      onChange={(deployment_id) => change({ flow: null, tag: null, deployment_id })}
    />
  );
}

/** Chooses the target of starts: a flow with a tag, or one deployment. */
export function TargetFields({ target, change }: TargetFieldsProps) {
  const [kind, setKind] = useState(target.deployment_id === null ? 'flow' : 'deployment');
  const choose = (next: string) => {
    setKind(next);
    change({ flow: null, tag: next === 'flow' ? 'latest' : null, deployment_id: null });
  };
  return (
    <Stack>
      <Radio.Group label='What it starts' value={kind} onChange={choose}>
        <Stack gap='xs' mt='xs'>
          {KINDS.map(({ value, label }) => <Radio key={value} value={value} label={label} />)}
        </Stack>
      </Radio.Group>
      {kind === 'flow'
        ? <FlowFields target={target} change={change} />
        : <DeploymentField target={target} change={change} />}
    </Stack>
  );
}
