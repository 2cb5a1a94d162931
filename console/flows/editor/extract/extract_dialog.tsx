import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { useEditorState } from '../editor_context.tsx';
import { nodesById } from '../view.ts';
import { type Extraction, planExtraction } from './extract.ts';
import { useExtracting } from './use_extracting.ts';

const listOf = (ports: Extraction['inputs']): string => ports.map(({ name }) => name).join(', ') || 'none';

function ExtractForm({ plan, onClose }: { plan: Extraction; onClose: () => void }) {
  const { document } = useEditorState();
  const [first] = plan.chosen;
  const [name, setName] = useState(() => nodesById(document).get(first ?? '')?.title ?? '');
  const extracting = useExtracting(plan, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    extracting.mutate(name.trim());
  };
  const count = plan.chosen.size;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label='Name of the new flow'
          data-autofocus
          required
          maxLength={flowLimits.name_characters.value}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Text size='sm'>
          The new flow gets {count === 1 ? 'the selected node' : `the ${count} selected nodes`}{' '}
          and the environment of this flow. One node that calls the new flow takes their place.
        </Text>
        <Text size='sm' className='console-text'>Inputs: {listOf(plan.inputs)}</Text>
        <Text size='sm' className='console-text'>Outputs: {listOf(plan.outputs)}</Text>
        <Text size='sm' c='dimmed'>Undo brings the nodes back. The new flow stays in your list of flows.</Text>
        <ErrorAlert error={extracting.error} />
        <Group justify='flex-end'>
          <Button variant='default' onClick={onClose}>Cancel</Button>
          <Button type='submit' loading={extracting.isPending} disabled={name.trim() === ''}>Extract</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks how to name the flow that the selected nodes become, or says why they can't become one. */
export default function ExtractDialog({ onClose }: { onClose: () => void }) {
  const { document, selected } = useEditorState();
  const plan = useMemo(() => planExtraction(document, selected), [document, selected]);
  return (
    <Modal opened onClose={onClose} title='Extract into a flow of its own'>
      {'reason' in plan
        ? <Alert color='orange' role='alert'>{plan.reason}</Alert>
        : <ExtractForm plan={plan} onClose={onClose} />}
    </Modal>
  );
}
