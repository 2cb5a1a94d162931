import { Stack, Text } from '@mantine/core';
import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { type ReactNode, useMemo, useState } from 'react';
import { inputsForm } from './inputs_schema.ts';
import { SchemaForm } from './schema_form.tsx';

interface InputsFormProps {
  idPrefix: string;
  /** The inputs of a start, from `flows.read(…)`. */
  inputs: readonly DeploymentInput[];
  /** Called with plain values for `flows.start(target, values)`, without the inputs that are empty. */
  onSubmit: (values: PlainValues) => void;
  /** Called with the values after each change, even if they are not valid. */
  onChange?: (values: unknown) => void;
  /** The initial values of the form. */
  initial?: PlainValues;
  disabled?: boolean;
  /** True in a dialog: the first field gets the focus. */
  isFirstFocused?: boolean;
  /** The buttons; one of them is of the type `submit`. */
  children: ReactNode;
}

/** The inputs of a start as a form of plain values. */
export function InputsForm(props: InputsFormProps) {
  const { idPrefix, inputs, onSubmit, onChange, initial = {}, disabled = false, isFirstFocused = false, children } =
    props;
  const form = useMemo(() => inputsForm(inputs), [inputs]);
  const [values, setValues] = useState<unknown>(initial);
  return (
    <SchemaForm
      idPrefix={idPrefix}
      {...form}
      value={values}
      onChange={(changed) => {
        setValues(changed);
        onChange?.(changed);
      }}
      // SAFETY: the form library returns a JSON object for a schema of an object.
      onSubmit={(sent) => onSubmit((sent ?? {}) as PlainValues)}
      disabled={disabled}
      isFirstFocused={isFirstFocused}
    >
      <Stack>
        {inputs.length === 0 && <Text c='dimmed'>It takes no inputs.</Text>}
        {children}
      </Stack>
    </SchemaForm>
  );
}
