import { Anchor, Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { type DrawnNode, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { Loading } from '../../../shared/page/loading.tsx';
import { removeSelected } from '../actions.ts';
import { requestForEdge } from '../connecting/insert_on_edge.ts';
import { edgeStarts } from '../edge_refusals.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { usePalette } from '../palette/palette_context.tsx';
import { nodesById } from '../view.ts';
import { changeExpression, expressionOf } from './edge_expression.ts';
import { useValueOf } from './edge_value.ts';

const ExpressionField = lazy(() => import('./expression_field.tsx'));

interface EndProps {
  label: string;
  node: DrawnNode | undefined;
  port: { name: string; types: readonly string[] } | undefined;
  onSelect: (nodeId: string) => void;
}

/** One end of the edge: its node, which a click selects, and its port with its types. */
const End = ({ label, node, port, onSelect }: EndProps) => (
  <div>
    <Text size='xs' c='dimmed'>{label}</Text>
    {node === undefined
      ? <Text size='sm'>a node that is gone</Text>
      : <Anchor component='button' type='button' size='sm' onClick={() => onSelect(node.id)}>{node.title}</Anchor>}
    <Text size='sm' className='console-text'>
      {port === undefined ? 'a port that is gone' : `${port.name || 'its port'}: ${port.types.join(' or ')}`}
    </Text>
  </div>
);

/** The selected edge: its ends, its expression, and the buttons that put a node into it and delete it. */
export default function EdgePanel({ json, index }: { json: PlainObject; index: number }) {
  const { store, isOwner } = useEditor();
  const palette = usePalette();
  const { document } = useEditorState();
  const { source, sourceHandle, target, targetHandle } = readEdge(json);
  const nodes = nodesById(document);
  const [from, to] = [nodes.get(source), nodes.get(target)];
  const start = from && edgeStarts(from).find(({ handle }) => handle === sourceHandle);
  const input = to?.inputs.find(({ id }) => id === targetHandle);
  const value = useValueOf(start);
  const onSelect = (nodeId: string) => store.select(new Set([nodeId]));
  return (
    <section aria-label='Edge'>
      <Stack gap='md'>
        <Group justify='space-between' wrap='nowrap'>
          <Title order={2} size='h4'>Edge</Title>
          <CloseButton aria-label='Close the edge' onClick={() => store.select(new Set())} />
        </Group>
        <End label='From' node={from} port={start} onSelect={onSelect} />
        <End label='To' node={to} port={input} onSelect={onSelect} />
        <Suspense fallback={<Loading label='Loading the code editor' />}>
          <ExpressionField
            key={index}
            expression={expressionOf(json)}
            value={value}
            types={input?.types ?? []}
            readOnly={!isOwner}
            onChange={(text) =>
              store.change((changed) => changeExpression(changed, index, text), `expression ${index}`)}
          />
        </Suspense>
        {isOwner && (
          <Group gap='xs'>
            <Button
              variant='default'
              size='xs'
              onClick={() => palette.open(requestForEdge(store.state().document, index))}
            >
              Add a node in its middle
            </Button>
            <Button variant='light' color='red' size='xs' onClick={() => removeSelected(store)}>Delete the edge</Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}
