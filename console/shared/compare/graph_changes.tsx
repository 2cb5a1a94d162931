import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChangedPlace, EdgeChange, GraphComparison, NodeChange } from './compare_graphs.ts';

/** The most changes of one kind, and the most paths of one node, in the list. */
const LISTED = 100;
const CHARACTERS_SHOWN = 300;

const COLOURS = { added: 'teal', removed: 'red', changed: 'yellow' } as const;

const Kind = ({ kind }: { kind: keyof typeof COLOURS }) => (
  <Badge color={COLOURS[kind]} variant='light' tt='none'>{kind}</Badge>
);

const shorten = (text: string | undefined): string =>
  text === undefined ? 'nothing' : text.length > CHARACTERS_SHOWN ? `${text.slice(0, CHARACTERS_SHOWN)}…` : text;

const More = ({ count }: { count: number }) =>
  count > LISTED ? <Text c='dimmed'>… and {count - LISTED} more</Text> : null;

const Places = ({ places }: { places: ChangedPlace[] }) =>
  places.length === 0 ? null : (
    <>
      <List size='sm' withPadding>
        {places.slice(0, LISTED).map(({ path, before, after }) => (
          <List.Item key={path}>
            <span className='console-text'>{path}</span>: <Code>{shorten(before)}</Code> became{' '}
            <Code>{shorten(after)}</Code>
          </List.Item>
        ))}
      </List>
      <More count={places.length} />
    </>
  );

const NodeItem = ({ title, kind, places }: NodeChange) => (
  <Stack gap={4}>
    <Group gap='xs'>
      <Kind kind={kind} />
      <Text span fw={600} className='console-text'>{title}</Text>
    </Group>
    <Places places={places} />
  </Stack>
);

const describeEnds = ({ kind, into, before, after }: EdgeChange): string =>
  kind === 'changed' && before !== after
    ? `into ${into}, from ${before} before, from ${after} now`
    : `into ${into}, from ${after ?? before}`;

const EdgeItem = (change: EdgeChange) => (
  <Stack gap={4}>
    <Group gap='xs' align='flex-start'>
      <Kind kind={change.kind} />
      <Text span size='sm' className='console-text'>{describeEnds(change)}</Text>
    </Group>
    <Places places={change.places} />
  </Stack>
);

function Changes<Change>({ label, changes, render }: {
  label: string;
  changes: Change[];
  render: (change: Change) => ReactNode;
}) {
  if (changes.length === 0) return null;
  return (
    <Stack gap='xs'>
      <Stack component='ul' gap='xs' aria-label={label} className='console-plain-list'>
        {changes.slice(0, LISTED).map((change, index) => <li key={index}>{render(change)}</li>)}
      </Stack>
      <More count={changes.length} />
    </Stack>
  );
}

const SETTINGS: Record<string, string> = {
  environment: 'Environment',
  chain_network: 'Network',
  instructions_bundling: 'Transactions',
};

/** The differences between two states of a graph. */
export const GraphChanges = ({ nodes, edges, isReordered, settings }: GraphComparison) => (
  <>
    <Changes label='Nodes' changes={nodes} render={(change) => <NodeItem {...change} />} />
    <Changes label='Edges' changes={edges} render={(change) => <EdgeItem {...change} />} />
    {isReordered && <Text size='sm'>The nodes or the edges are in another order.</Text>}
    {settings.length > 0 && (
      <Text size='sm'>
        These settings of the flow differ: {settings.map((name) => SETTINGS[name] ?? name).join(', ')}.
      </Text>
    )}
  </>
);
