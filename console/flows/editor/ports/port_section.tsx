import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { flowLimits } from '../../../../types/limits/flows.ts';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { drawnNode } from '../view.ts';
import { scriptNodeId } from './named_ports.ts';
import type { PortSide, ScriptNodeId } from './port_names.ts';
import { PortRow } from './port_row.tsx';
import { addPort, scriptPorts } from './script_ports.ts';

const MOST = flowLimits.script_ports.value;

/** Explains how a script sets its outputs. */
function meaningOf(nodeId: ScriptNodeId, outputs: readonly { name: string }[]): string {
  const [first, second] = outputs;
  if (first === undefined) return 'A script without an output gives nothing to other nodes.';
  if (nodeId === 'javascript') {
    return second === undefined
      ? 'The output is what the script returns.'
      : `The script returns an object with its outputs, such as { ${first.name}, ${second.name} }.`;
  }
  return second === undefined
    ? `The output is the variable ${first.name} of the script. Without one, it is the last value.`
    : 'The outputs are the variables of their names in the script.';
}

const MEANING_OF_INPUTS = 'The inputs are variables of the script.';

function Side({ json, nodeId, side }: { json: PlainObject; nodeId: ScriptNodeId; side: PortSide }) {
  const { store, isOwner } = useEditor();
  const [addedId, setAddedId] = useState<string>();
  const ports = scriptPorts(json, side);
  const add = () => {
    const id = crypto.randomUUID();
    setAddedId(id);
    store.change((document) => changeNode(document, nodeIdOf(json), (node) => addPort(node, nodeId, side, { id })));
  };
  return (
    <Stack gap={6} role='group' aria-label={side === 'input' ? 'Inputs of the script' : 'Outputs of the script'}>
      <Text size='sm' fw={500}>{side === 'input' ? 'Inputs' : 'Outputs'}</Text>
      <Text size='xs' c='dimmed'>{side === 'input' ? MEANING_OF_INPUTS : meaningOf(nodeId, ports)}</Text>
      {ports.map((port, index) => (
        <PortRow
          key={port.id}
          json={json}
          nodeId={nodeId}
          side={side}
          port={port}
          isFirst={index === 0}
          isNew={port.id === addedId}
          others={ports.filter((other) => other !== port).map(({ name }) => name)}
        />
      ))}
      {isOwner && (
        <Button variant='default' size='compact-sm' disabled={ports.length >= MOST} onClick={add}>
          {side === 'input' ? 'Add an input' : 'Add an output'}
        </Button>
      )}
      {ports.length >= MOST && <Text size='xs'>A script has at most {MOST} {side}s.</Text>}
    </Stack>
  );
}

/** The part of the node's panel in which the user adds, names and removes the inputs and outputs of a script. */
export default function PortSection({ json }: { json: PlainObject }) {
  const nodeId = scriptNodeId(drawnNode(json));
  if (nodeId === undefined) return null;
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Inputs and outputs</Title>
      <Side key={`input ${nodeIdOf(json)}`} json={json} nodeId={nodeId} side='input' />
      <Side key={`output ${nodeIdOf(json)}`} json={json} nodeId={nodeId} side='output' />
    </Stack>
  );
}
