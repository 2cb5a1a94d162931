import { ActionIcon, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { PORT_TYPES } from '../../../../types/values/port_types.ts';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { type PortSide, type ScriptNodeId, whyBadName } from './port_names.ts';
import { countEdges, movePortUp, removePort, renamePort, type ScriptPort, setPortType } from './script_ports.ts';

const TYPES = Object.keys(PORT_TYPES);

interface PortRowProps {
  json: PlainObject;
  nodeId: ScriptNodeId;
  side: PortSide;
  port: ScriptPort;
  isFirst: boolean;
  /** True if the user has just added the port. The field for the name of a new port gets the focus. */
  isNew: boolean;
  /** The names of the other ports of the side. */
  others: readonly string[];
}

/**
 * The name of a port. A wrong name stays in the field with the reason. The port then has the name that it had when the
 * user began to write.
 */
function PortName({ json, nodeId, side, port, isNew, others }: Omit<PortRowProps, 'isFirst'>) {
  const { store, isOwner } = useEditor();
  const first = useRef(port.name);
  const [wrong, setWrong] = useState<{ of: string; text: string }>();
  // If Undo has changed the name of the port, the field shows this name instead of a wrong text.
  const text = wrong?.of === port.name ? wrong.text : port.name;
  const whyWrong = (name: string) => whyBadName(nodeId, side, name, others);
  const rename = (name: string) =>
    store.change(
      (document) => changeNode(document, nodeIdOf(json), (node) => renamePort(node, side, port.id, name)),
      `port ${port.id}`,
    );
  return (
    <TextInput
      aria-label={`Name of ${side} ${port.name}`}
      value={text}
      error={whyWrong(text)}
      // The reason may be wider than the field.
      errorProps={{ w: 232 }}
      readOnly={!isOwner}
      autoFocus={isNew}
      size='xs'
      flex='1 1 6rem'
      autoComplete='off'
      spellCheck={false}
      onFocus={(event) => {
        first.current = port.name;
        if (isNew) event.currentTarget.select();
      }}
      onChange={(event) => {
        const name = event.currentTarget.value;
        const isWrong = whyWrong(name) !== undefined;
        const former = whyWrong(first.current) === undefined ? first.current : port.name;
        setWrong(isWrong ? { of: former, text: name } : undefined);
        rename(isWrong ? former : name);
      }}
    />
  );
}

/** One input or output of a script: its name, its type, and buttons that move and remove it. */
export function PortRow(props: PortRowProps) {
  const { json, side, port: { id, name, type }, isFirst } = props;
  const { store, isOwner } = useEditor();
  const node = nodeIdOf(json);
  const change = (next: (node: PlainObject) => PlainObject) =>
    store.change((document) => changeNode(document, node, next));
  const remove = () => {
    const edges = countEdges(store.state().document, node, side, id);
    store.change((document) => removePort(document, node, side, id));
    if (edges > 0) {
      store.tell(
        `The ${side} “${name}” is removed with ${
          edges === 1 ? 'its edge' : `its ${edges} edges`
        }. Undo (Ctrl+Z) brings them back.`,
      );
    }
  };
  return (
    <Group gap={4} wrap='nowrap' align='flex-start'>
      <PortName {...props} />
      <Select
        aria-label={`Type of ${side} ${name}`}
        data={TYPES.includes(type) ? TYPES : [type, ...TYPES]}
        value={type}
        allowDeselect={false}
        searchable
        disabled={!isOwner}
        size='xs'
        w={104}
        onChange={(next) => next !== null && change((current) => setPortType(current, side, id, next))}
      />
      {isOwner && (
        <ActionIcon
          variant='transparent'
          color='gray'
          size={30}
          aria-label={`Move ${side} ${name} up`}
          title='Move up'
          disabled={isFirst}
          onClick={() => change((current) => movePortUp(current, side, id))}
        >
          ↑
        </ActionIcon>
      )}
      {isOwner && <CloseButton size={30} aria-label={`Remove ${side} ${name}`} title='Remove' onClick={remove} />}
    </Group>
  );
}
