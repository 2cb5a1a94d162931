import { Select, type SelectProps } from '@mantine/core';
import { useFlowChoices, withChosen } from './use_flow_choices.ts';

interface FlowSelectProps extends Pick<SelectProps, 'allowDeselect' | 'comboboxProps' | 'disabled' | 'error'> {
  /** The id of the chosen flow. */
  value: string | null;
  /** Called with the id of the chosen flow and its text in the list; both are null if no flow is chosen any more. */
  onChange: (id: number | null, label: string | null) => void;
}

/** Chooses one of the user's flows by its name. */
export function FlowSelect({ value, onChange, ...others }: FlowSelectProps) {
  return (
    <Select
      label='Flow'
      data={withChosen(useFlowChoices(), value, `Flow ${value}`)}
      searchable
      required
      nothingFoundMessage='No flow of yours has this name'
      value={value}
      onChange={(id, option) => onChange(id === null ? null : Number(id), option?.label ?? null)}
      {...others}
    />
  );
}
