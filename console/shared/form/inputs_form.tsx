import { Stack, Text } from '@mantine/core';
import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { type ReactNode, useMemo, useState } from 'react';
import { inputsForm } from './inputs_schema.ts';
import { SchemaForm } from './schema_form.tsx';

export interface InputsFormProps {
  idPrefix: string;
  /** What `flows.read(…)` says that a start takes. */
  inputs: readonly DeploymentInput[];
  /** Called with plain values for `flows.start(target, values)`. Inputs that were left empty are left out. */
  onSubmit: (values: PlainValues) => void;
  /** What the form begins with. */
  initial?: PlainValues;
  disabled?: boolean;
  /** The buttons; one of them is of the type `submit`. */
  children: ReactNode;
}

/** The inputs of a start as a form of plain values. */
export function InputsForm({ idPrefix, inputs, onSubmit, initial = {}, disabled = false, children }: InputsFormProps) {
  const form = useMemo(() => inputsForm(inputs), [inputs]);
  const [values, setValues] = useState<unknown>(initial);
  return (
    <SchemaForm
      idPrefix={idPrefix}
      {...form}
      value={values}
      onChange={setValues}
      // SAFETY: the form library gives an object for a schema of one, made of JSON.
      onSubmit={(sent) => onSubmit((sent ?? {}) as PlainValues)}
      disabled={disabled}
    >
      <Stack>
        {inputs.length === 0 && <Text c='dimmed'>It takes no inputs.</Text>}
        {children}
      </Stack>
    </SchemaForm>
  );
}
