import { Badge, Checkbox, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { DefinitionToStore } from 'flow-deployments-client';
import { implementationLine } from '../../../types/described/implementation_line.ts';
import { EFFECT_NAMES } from '../../shared/nodes/effect_names.ts';

const EFFECT_CHOICES = Object.entries(EFFECT_NAMES).map(([value, label]) => ({ value, label }));
/** The most ports that a row names. */
const SHOWN_PORTS = 30;

function namesOf(ports: readonly { name: string; required?: unknown }[]): string {
  const names = ports.slice(0, SHOWN_PORTS).map(({ name, required }) =>
    required === true ? `${name} (required)` : name
  );
  return [...names, ...(ports.length > SHOWN_PORTS ? [`${ports.length - SHOWN_PORTS} more`] : [])].join(', ') || 'none';
}

interface NodeChoiceProps {
  definition: DefinitionToStore;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
  onEffects: (effects: string) => void;
}

/** A node that the document gives: what it does, its ports and effects, and whether the user adds it. */
export function NodeChoice({ definition, isChosen, onChoose, onEffects }: NodeChoiceProps) {
  const { type, data, targets, sources } = definition;
  return (
    <Group component='li' wrap='nowrap' align='flex-start' gap='md'>
      <Checkbox
        mt={2}
        aria-label={`Add ${data.node_id}`}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Group flex='1 1 auto' miw={0} gap='xs' align='flex-start'>
        <Stack gap={4} flex='1 1 20rem' miw={0}>
          <Group gap='xs'>
            <Text fw={600} className='console-text'>{data.display_name}</Text>
            <Badge variant='default' tt='none' className='console-text'>{data.node_id}</Badge>
          </Group>
          <Code className='console-text'>{implementationLine(type, data.implementation)}</Code>
          <Text size='sm' c='dimmed' className='console-text'>Inputs: {namesOf(targets)}</Text>
          <Text size='sm' c='dimmed' className='console-text'>Outputs: {namesOf(sources)}</Text>
        </Stack>
        <NativeSelect
          size='xs'
          flex='0 0 auto'
          aria-label={`Effects of ${data.node_id}`}
          data={EFFECT_CHOICES}
          value={String(data.effects)}
          onChange={(event) => onEffects(event.currentTarget.value)}
        />
      </Group>
    </Group>
  );
}
