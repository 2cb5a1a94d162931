import { TextInput } from '@mantine/core';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';

/** The field for a node's name. */
export function NodeName({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const data = objectAt(json, 'data');
  const key = typeof data.display_name === 'string' || typeof data.name !== 'string' ? 'display_name' : 'name';
  const value = data[key];
  return (
    <TextInput
      label='Name'
      value={typeof value === 'string' ? value : ''}
      readOnly={!isOwner}
      maxLength={200}
      onChange={(event) => {
        const text = event.currentTarget.value;
        store.change(
          (document) =>
            changeNode(document, id, (node) => ({ ...node, data: { ...objectAt(node, 'data'), [key]: text } })),
          `name ${id}`,
        );
      }}
    />
  );
}
