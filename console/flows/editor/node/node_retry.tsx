import { NumberInput, Stack, Switch, Text, Title } from '@mantine/core';
import { isObject, objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';

interface RetryMember {
  name: 'max_attempts' | 'delay_ms' | 'backoff' | 'max_delay_ms';
  label: string;
  description: string;
  min: number;
  max: number;
  /** The value that a run uses if the setting is missing. */
  missing: number;
  decimals: boolean;
}

const MEMBERS: RetryMember[] = [
  {
    name: 'max_attempts',
    label: 'Attempts',
    description: 'At most, the first one included',
    min: 1,
    max: 20,
    missing: 3,
    decimals: false,
  },
  {
    name: 'delay_ms',
    label: 'Pause',
    description: 'Milliseconds before the second attempt',
    min: 0,
    max: 600_000,
    missing: 1_000,
    decimals: false,
  },
  {
    name: 'backoff',
    label: 'Growth of the pause',
    description: 'Each further pause is multiplied by this number',
    min: 1,
    max: 10,
    missing: 2,
    decimals: true,
  },
  {
    name: 'max_delay_ms',
    label: 'Longest pause',
    description: 'Milliseconds',
    min: 0,
    max: 600_000,
    missing: 60_000,
    decimals: false,
  },
];

/** The settings of a node for retries after failures that may pass by themselves. */
export function NodeRetry({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const { retry } = objectAt(json, 'data');
  const change = (next: PlainObject | undefined) =>
    store.change((document) =>
      changeNode(document, id, (node) => {
        const { retry: _, ...data } = objectAt(node, 'data');
        return { ...node, data: next === undefined ? data : { ...data, retry: next } };
      }), `retry ${id}`);
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Retry</Title>
      <Switch
        data-setting='retry'
        label='Try again when it fails'
        description='After faults that may pass, such as those of a network. A node with effects outside may then act twice.'
        checked={isObject(retry)}
        disabled={!isOwner}
        onChange={(event) => change(event.currentTarget.checked ? { max_attempts: 3 } : undefined)}
      />
      {isObject(retry) && MEMBERS.map(({ name, label, description, min, max, missing, decimals }) => (
        <NumberInput
          key={name}
          data-setting={`retry.${name}`}
          label={label}
          description={description}
          min={min}
          max={max}
          allowDecimal={decimals}
          clampBehavior='blur'
          disabled={!isOwner}
          placeholder={String(missing)}
          value={typeof retry[name] === 'number' ? retry[name] : ''}
          onChange={(value) => {
            const { [name]: _, ...rest } = retry;
            change(typeof value === 'number' ? { ...rest, [name]: value } : rest);
          }}
        />
      ))}
      {isObject(retry) && (
        <Text size='xs' c='dimmed'>If a field is empty, the value that it shows in grey applies.</Text>
      )}
    </Stack>
  );
}
