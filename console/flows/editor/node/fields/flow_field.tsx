import { Select } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { useFlowChoices, withChosen } from '../../../../shared/targets/use_flow_choices.ts';

interface FlowSelectProps {
  /** The stored id: a number, or its digits. */
  value: unknown;
  disabled: boolean;
  /** Called with the id of the chosen flow, and with the name of the flow. */
  onChange: (id: number, name: string) => void;
}

/** Chooses one of the user's flows by its name. */
export function FlowSelect({ value, disabled, onChange }: FlowSelectProps) {
  const chosen = typeof value === 'number' || typeof value === 'string' && value !== '' ? String(value) : null;
  const flows = withChosen(useFlowChoices(), chosen, `Flow ${chosen}`);
  return (
    <Select
      label='Flow'
      data={flows}
      searchable
      required
      nothingFoundMessage='No flow of yours has this name'
      // The panel, which scrolls, would clip the list of choices.
      comboboxProps={{ withinPortal: true }}
      allowDeselect={false}
      value={chosen}
      error={chosen === null && 'Choose a flow'}
      disabled={disabled}
      onChange={(id, option) => option !== null && onChange(Number(id), option.label.replace(/ \(\d+\)$/, ''))}
    />
  );
}

/** The field of a node that calls a flow. */
export const FlowField = ({ formData, onChange, fieldPathId, disabled }: FieldProps) => (
  <FlowSelect
    value={formData}
    disabled={disabled === true}
    onChange={(id) => onChange(id, fieldPathId.path)}
  />
);
