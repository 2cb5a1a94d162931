import { Anchor, Select, Stack, Text, Title } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import {
  type DrawnEdge,
  type DrawnInput,
  type DrawnNode,
  type PlainObject,
  readEdge,
} from '../../../shared/graph/drawn_node.ts';
import { connect, disconnect } from '../actions.ts';
import { type EdgeStart, edgeStarts, makeRefusal } from '../edge_refusals.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { drawnNode } from '../view.ts';
import { WhenAbsentChoice } from '../wiring/when_absent_choice.tsx';

/** The most outputs in the list. The search finds the others. */
const OFFERED = 50;

const keyOf = (source: string, handle: string): string => `${source}\n${handle}`;

const labelOf = ({ node, name }: EdgeStart): string => name === '' ? node.title : `${node.title} · ${name}`;

/**
 * If the new list has the same members as the list of the earlier call, returns that list object, so that the panel is
 * not drawn again while nodes are moved.
 */
function useSameList<T>(list: readonly T[]): readonly T[] {
  const [kept, setKept] = useState(list);
  const isSame = kept.length === list.length && kept.every((member, index) => member === list[index]);
  if (!isSame) setKept(list);
  return isSame ? kept : list;
}

const InputEdge = memo(function InputEdge({ node, input, starts, edges }: {
  node: DrawnNode;
  input: DrawnInput;
  starts: readonly EdgeStart[];
  edges: readonly DrawnEdge[];
}) {
  const { store, isOwner } = useEditor();
  const current = edges.find(({ target, targetHandle }) => target === node.id && targetHandle === input.id);
  const others = useMemo(() => edges.filter((edge) => edge !== current), [edges, current]);
  const offered = useMemo(() => {
    const refusal = makeRefusal(others, node.id);
    return starts.filter((start) => start.node.id !== node.id && refusal(start, node, input) === undefined);
  }, [starts, node, input, others]);
  const data = offered.map((start) => ({ value: keyOf(start.node.id, start.handle), label: labelOf(start) }));
  const value = current === undefined ? null : keyOf(current.source, current.sourceHandle);
  const isListed = value === null || data.some((option) => option.value === value);
  return (
    <Select
      label={`Edge into ${input.name || 'the input'}`}
      placeholder={offered.length === 0 ? 'No output suits it' : 'No edge'}
      data={isListed ? data : [{ value, label: 'An output that is gone' }, ...data]}
      value={value}
      limit={OFFERED}
      searchable
      clearable
      allowDeselect={false}
      disabled={!isOwner}
      nothingFoundMessage='No such output'
      clearButtonProps={{ 'aria-label': `Remove the edge into ${input.name || 'the input'}` }}
      onChange={(next) => {
        if (next === value) return;
        if (current !== undefined) disconnect(store, node.id, input.id);
        const [source, sourceHandle] = next?.split('\n') ?? [];
        if (source === undefined || sourceHandle === undefined) return;
        connect(store, { source, sourceHandle, target: node.id, targetHandle: input.id });
      }}
    />
  );
});

/** Lists the edges into a node, and edits them without a mouse. Offers only outputs whose type fits the input. */
export function NodeWiring({ json }: { json: PlainObject }) {
  const { store } = useEditor();
  const { document } = useEditorState();
  const node = drawnNode(json);
  const nodes = useSameList(useMemo(() => document.nodes.map(drawnNode), [document.nodes]));
  const starts = useMemo(() => nodes.flatMap(edgeStarts), [nodes]);
  const edges = useMemo(() => document.edges.map(readEdge), [document.edges]);
  /** For each input with an edge, the index of this edge in the document. */
  const connected = new Map(
    edges.flatMap(({ target, targetHandle }, index) => target === node.id ? [[targetHandle, index]] : []),
  );
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Edges</Title>
      {node.inputs.length === 0 && <Text size='sm' c='dimmed'>This node has no inputs.</Text>}
      {node.inputs.map((input) => (
        <Stack key={input.id} gap={6} data-input={input.id}>
          <InputEdge node={node} input={input} starts={starts} edges={edges} />
          {connected.has(input.id) && (
            <>
              <Anchor
                component='button'
                type='button'
                size='xs'
                ta='left'
                aria-label={`Open the edge into ${input.name || 'the input'}`}
                onClick={() => store.select(new Set(), new Set([connected.get(input.id)!]))}
              >
                Open the edge
              </Anchor>
              <WhenAbsentChoice json={json} input={input} isOnly={connected.size === 1} />
            </>
          )}
        </Stack>
      ))}
    </Stack>
  );
}
