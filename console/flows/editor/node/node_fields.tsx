import { Stack, Text, Title } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { useMemo } from 'react';
import { CodeField } from '../../../shared/code/code_field.tsx';
import { SchemaForm } from '../../../shared/form/schema_form.tsx';
import { isObject, objectAt, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { withFormData } from '../definition.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { NODE_FIELDS, NODE_TEMPLATES, NODE_WIDGETS } from './fields/field_parts.tsx';
import { LOADED_FIELDS } from './fields/loaded_fields.tsx';
import { type CodeOptions, nodeForm } from './node_form.ts';
import { drawnNode } from '../view.ts';

/** A field for code. Its options name the language and the names that the code may use. */
function NodeCode({ formData, onChange, schema, name, fieldPathId, disabled, uiSchema }: FieldProps) {
  const label = schema.title ?? name;
  // SAFETY: codeFields() writes these options.
  const { language, inputs, title } = uiSchema!['ui:options'] as unknown as CodeOptions;
  return (
    <CodeField
      label={label}
      language={language}
      inputs={inputs}
      title={title}
      value={typeof formData === 'string' ? formData : ''}
      onChange={(text) => onChange(text, fieldPathId.path)}
      readOnly={disabled ?? false}
    />
  );
}

const FIELDS = { ...NODE_FIELDS, ...LOADED_FIELDS, code: NodeCode };

/** Returns the ids of the node's inputs that have an edge. */
function useConnected(id: string): ReadonlySet<string> {
  const { document: { edges } } = useEditorState();
  return useMemo(
    () => new Set(edges.map(readEdge).filter(({ target }) => target === id).map(({ targetHandle }) => targetHandle)),
    [edges, id],
  );
}

/** The form for the inputs of a node. */
export function NodeFields({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const connected = useConnected(id);
  const { schema, uiSchema } = useMemo(() => nodeForm(json, drawnNode(json), connected), [json, connected]);
  const formData = objectAt(json, 'data', 'targets_form').form_data;
  const hasFields = Object.keys(schema.properties ?? {}).length > 0;
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Values</Title>
      {!hasFields && (
        <Text size='sm' c='dimmed'>
          There is nothing to fill in: the node has no inputs, or each of them has an edge.
        </Text>
      )}
      {hasFields && formData !== undefined && formData !== null && !isObject(formData) && (
        <Text size='sm'>Another editor stored a plain value here. It stays until you fill in a field.</Text>
      )}
      {hasFields && (
        <SchemaForm
          key={id}
          idPrefix={`node-${id}`}
          schema={schema}
          uiSchema={uiSchema}
          fields={FIELDS}
          templates={NODE_TEMPLATES}
          widgets={NODE_WIDGETS}
          value={isObject(formData) ? formData : {}}
          disabled={!isOwner}
          unreadable={store.unreadable}
          onChange={(value) =>
            store.change((document) => changeNode(document, id, (node) => withFormData(node, value)), `form ${id}`)}
        />
      )}
    </Stack>
  );
}
