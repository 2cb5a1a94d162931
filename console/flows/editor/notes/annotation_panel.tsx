import { Button, CloseButton, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { removeSelected } from '../actions.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { membersOf, textOfNote, withText } from './annotations.ts';

function NoteText({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  return (
    <Textarea
      label='Text'
      description='Markdown, without HTML'
      value={textOfNote(json)}
      readOnly={!isOwner}
      maxLength={10_000}
      autosize
      minRows={6}
      maxRows={24}
      onChange={(event) => {
        const text = event.currentTarget.value;
        store.change((document) => changeNode(document, id, (node) => withText(node, text)), `note ${id}`);
      }}
    />
  );
}

function GroupFields({ json, members }: { json: PlainObject; members: readonly string[] }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const { display_name: title } = objectAt(json, 'data');
  return (
    <>
      <TextInput
        label='Title'
        value={typeof title === 'string' ? title : ''}
        readOnly={!isOwner}
        maxLength={200}
        onChange={(event) => {
          const text = event.currentTarget.value;
          const change = (node: PlainObject) => ({ ...node, data: { ...objectAt(node, 'data'), display_name: text } });
          store.change((document) => changeNode(document, id, change), `name ${id}`);
        }}
      />
      <Text size='sm'>{members.length === 1 ? '1 node moves' : `${members.length} nodes move`} with this group.</Text>
      {isOwner && <Button variant='default' onClick={() => removeSelected(store)}>Ungroup</Button>}
    </>
  );
}

/** The panel of a note or of a group. */
export function AnnotationPanel({ json }: { json: PlainObject }) {
  const { store } = useEditor();
  const members = membersOf(json);
  return (
    <section aria-label='Node'>
      <Stack gap='md'>
        <Group justify='space-between' wrap='nowrap'>
          <Title order={2} size='h4' className='console-heading'>{members === undefined ? 'Note' : 'Group'}</Title>
          <CloseButton aria-label='Close the node' onClick={() => store.select(new Set())} />
        </Group>
        {members === undefined ? <NoteText json={json} /> : <GroupFields json={json} members={members} />}
      </Stack>
    </section>
  );
}
