import { Button, Group, Modal } from '@mantine/core';
import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { InputsForm } from '../../../shared/form/inputs_form.tsx';
import { toFormValues } from '../../../shared/form/inputs_schema.ts';

interface InputsDialogProps {
  inputs: readonly DeploymentInput[];
  /** The values of the last run. */
  former: PlainValues;
  onSubmit: (values: PlainValues) => void;
  onClose: () => void;
}

/** Asks for the inputs of a run of the flow as it is drawn. */
export const InputsDialog = ({ inputs, former, onSubmit, onClose }: InputsDialogProps) => (
  <Modal opened onClose={onClose} title='Run' size='lg'>
    <InputsForm
      idPrefix='run'
      isFirstFocused
      inputs={inputs}
      // SAFETY: these are values of JSON.
      initial={toFormValues(inputs, former) as PlainValues}
      onSubmit={onSubmit}
    >
      <Group justify='flex-end'>
        <Button variant='default' onClick={onClose}>Cancel</Button>
        <Button type='submit'>Run</Button>
      </Group>
    </InputsForm>
  </Modal>
);
