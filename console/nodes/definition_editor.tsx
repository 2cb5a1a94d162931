import { Button, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { JsonEditor } from '../shared/code/json_editor.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { readNode } from '../shared/graph/drawn_node.ts';
import { NodeCard } from '../shared/graph/node_card.tsx';
import { checkDefinition, type DefinitionFault } from './check_definition.ts';
import type { DefinitionRow } from './definition.ts';
import { FormPreview } from './form_preview.tsx';

/** The most faults in the list; the editor marks all of them. */
const LISTED = 20;

function FaultList({ faults }: { faults: DefinitionFault[] }) {
  return (
    <Stack gap='xs' role='status'>
      <Text size='sm' c='dimmed'>
        {faults.length === 0
          ? 'This is a valid definition.'
          : faults.length === 1
          ? '1 thing is wrong:'
          : `${faults.length} things are wrong:`}
      </Text>
      <List size='sm' className='console-text'>
        {faults.slice(0, LISTED).map(({ path, message }, index) => (
          <List.Item key={index}>{path === '' ? message : `${path}: ${message}`}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** Edits a definition as JSON. Marks its faults, and shows the node as the canvas will draw it. */
export function DefinitionEditor({ initial, id }: { initial: string; id: string | undefined }) {
  const { db } = useApi();
  const userId = useUserId();
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  const [text, setText] = useState(initial);
  const faults = useMemo(() => checkDefinition(text), [text]);
  // While the text is not valid JSON, the drawing of the last valid text stays.
  const [definition, setDefinition] = useState<Partial<DefinitionRow>>(() => JSON.parse(initial));

  const save = useMutation({
    mutationFn: async () => {
      const row = JSON.parse(text);
      const query = id === undefined
        ? db.from('nodes').upsert(
          { owner_key: userId, node_id: row.data.node_id, version: row.data.version, ...row },
          { onConflict: 'owner_key,node_id,version' },
        )
        // These values clear the columns that the new definition does not have.
        : db.from('nodes').update({
          'targets_form.json_schema': null,
          'targets_form.ui_schema': null,
          'targets_form.extra': null,
          ...row,
        }).eq('id', id);
      const { data } = await query.select('id').single().throwOnError();
      return data.id;
    },
    onSuccess: async (stored) => {
      await queries.invalidateQueries({ queryKey: ['nodes'] });
      goTo(`/nodes/${stored}`);
    },
  });

  const convert = useMutation({
    mutationFn: async () => {
      // The module is loaded here, because few definitions need this conversion.
      const { editorDefinitionToRow } = await import('flow-deployments-client/editor-flow');
      change(JSON.stringify(editorDefinitionToRow(text), undefined, 2));
    },
  });
  // A definition in the editor's newer form has a member `ports`, and may contain comments.
  const isMaybeNewer = faults.length > 0 && /"?ports"?\s*:/.test(text);

  const change = (next: string) => {
    setText(next);
    if (checkDefinition(next).length === 0) setDefinition(JSON.parse(next));
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing='xl'>
      <Stack miw={0}>
        <JsonEditor
          label='Definition'
          value={text}
          onChange={change}
          findFaults={checkDefinition}
          minHeight='24rem'
        />
        <FaultList faults={faults} />
        <ErrorAlert error={save.error ?? convert.error} />
        <Group>
          <Button onClick={() => save.mutate()} loading={save.isPending} disabled={faults.length > 0}>Save</Button>
          {isMaybeNewer && (
            <Button variant='default' onClick={() => convert.mutate()} loading={convert.isPending}>
              Convert from the newer form
            </Button>
          )}
        </Group>
      </Stack>
      <Stack>
        <NodeCard node={readNode(definition)} />
        <FormPreview
          key={text}
          schema={definition['targets_form.json_schema']}
          uiSchema={definition['targets_form.ui_schema']}
        />
      </Stack>
    </SimpleGrid>
  );
}
