import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { EdgeChange, GraphComparison, NodeChange } from './compare_graphs.ts';

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

const NodeItem = ({ title, kind, places }: NodeChange) => (
  <Stack gap={4}>
    <Group gap='xs'>
      <Kind kind={kind} />
      <Text span fw={600} className='console-text'>{title}</Text>
    </Group>
    {places.length > 0 && (
      <List size='sm' withPadding>
        {places.slice(0, LISTED).map(({ path, before, after }) => (
          <List.Item key={path}>
            <span className='console-text'>{path}</span>: <Code>{shorten(before)}</Code> became{' '}
            <Code>{shorten(after)}</Code>
          </List.Item>
        ))}
      </List>
    )}
    <More count={places.length} />
  </Stack>
);

const EdgeItem = ({ kind, into, before, after }: EdgeChange) => (
  <Group gap='xs' align='flex-start'>
    <Kind kind={kind} />
    <Text span size='sm' className='console-text'>
      into {into}, {kind === 'changed' ? `from ${before} before, from ${after} now` : `from ${after ?? before}`}
    </Text>
  </Group>
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

/** The differences between two states of a graph. */
export const GraphChanges = ({ nodes, edges }: GraphComparison) => (
  <>
    <Changes label='Nodes' changes={nodes} render={(change) => <NodeItem {...change} />} />
    <Changes label='Edges' changes={edges} render={(change) => <EdgeItem {...change} />} />
  </>
);
