import { Button, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { type DrawnNode, isObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { plainOf, shortText } from '../../../shared/plain_json.ts';
import { behind, edgeStarts } from '../edge_refusals.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useLastRun } from '../last_run/last_run_context.tsx';
import { drawnNode } from '../view.ts';
import { type TakenValue, takeValue, whyTakenIsRefused } from './take_value.ts';
import { DRAGGED_VALUE } from './value_drop.tsx';

/** The most members of a value that the list shows, and the most levels of nested values. */
const MEMBERS = 30;
const DEPTH = 4;

interface ValueRowProps {
  label: string;
  taken: TakenValue;
  plain: unknown;
  to: DrawnNode;
}

/** A value with its members. The user drags the value to a field, or chooses an input in the menu beside the value. */
function ValueRow({ label, taken, plain, to }: ValueRowProps) {
  const { store } = useEditor();
  const { outputs } = useLastRun();
  const entries: [string | number, unknown][] = taken.path.length >= DEPTH
    ? []
    : Array.isArray(plain)
    ? plain.slice(0, MEMBERS).map((member: unknown, index) => [index, member])
    : isObject(plain)
    ? Object.entries(plain).slice(0, MEMBERS)
    : [];
  const text = entries.length > 0 ? '' : shortText({ S: JSON.stringify(plain) ?? '' });
  return (
    <li>
      <Group
        gap='xs'
        wrap='nowrap'
        draggable
        onDragStart={(event) => event.dataTransfer.setData(DRAGGED_VALUE, JSON.stringify(taken))}
      >
        <Text size='sm' className='console-text'>{label}</Text>
        <Text size='xs' c='dimmed' ff='monospace' truncate flex={1}>{text}</Text>
        <Menu position='bottom-end' withinPortal>
          <Menu.Target>
            <Button size='compact-xs' variant='subtle' aria-label={`Use ${label} in…`}>Use in…</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {to.inputs.map((input) => (
              <Menu.Item
                key={input.id}
                disabled={whyTakenIsRefused(store, outputs, taken, input) !== undefined}
                onClick={() => takeValue(store, taken, to.id, input.id)}
              >
                {input.name || 'input'}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {entries.length > 0 && (
        <ul className='editor-run-values'>
          {entries.map(([step, member]) => (
            <ValueRow
              key={step}
              label={String(step)}
              taken={{ ...taken, path: [...taken.path, step] }}
              plain={member}
              to={to}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

interface RunValuesProps {
  to: DrawnNode;
  /** True if the list is open. It stays open when another node is selected. */
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}

/**
 * The values of the last run that a node may use. Values of nodes that depend on this node are left out, because an
 * edge from such a node would close a circle.
 */
export default function RunValues({ to, isOpen, onToggle }: RunValuesProps) {
  const { document } = useEditorState();
  const { outputs } = useLastRun();
  const after = useMemo(() => behind(document.edges.map(readEdge), to.id), [document.edges, to.id]);
  const given = document.nodes.map(drawnNode).filter(({ id }) => !after.has(id)).flatMap((node) => {
    const values = outputs(node.id);
    const ports = values === undefined ? [] : edgeStarts(node).filter(({ name }) => values[name] !== undefined);
    return ports.map(({ handle, name }) => ({ node, handle, name, value: values![name] }));
  });
  if (given.length === 0 || to.inputs.length === 0) return null;
  return (
    <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary>
        <Title order={3} size='h5' component='span'>Values of the last run</Title>
      </summary>
      <Stack gap='xs'>
        <Text size='xs' c='dimmed'>Drag a value to a field, or choose the input that gets it.</Text>
        <ul className='editor-run-values'>
          {given.slice(0, MEMBERS).map(({ node, handle, name, value }) => (
            <ValueRow
              key={`${node.id} ${handle}`}
              label={name === '' ? node.title : `${node.title} · ${name}`}
              taken={{ source: node.id, sourceHandle: handle, path: [] }}
              plain={plainOf(value)}
              to={to}
            />
          ))}
        </ul>
      </Stack>
    </details>
  );
}
