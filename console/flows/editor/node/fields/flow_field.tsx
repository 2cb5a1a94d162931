import type { FieldProps } from '@rjsf/utils';
import { FlowSelect } from '../../../../shared/targets/flow_select.tsx';

interface CalledFlowProps {
  /** The stored id: a number, or its digits. */
  value: unknown;
  disabled: boolean;
  /** Called with the id of the chosen flow, and with the name of the flow. */
  onChange: (id: number, name: string) => void;
}

/** Chooses the flow that a node calls. */
export function CalledFlow({ value, disabled, onChange }: CalledFlowProps) {
  const chosen = typeof value === 'number' || typeof value === 'string' && value !== '' ? String(value) : null;
  return (
    <FlowSelect
      // The panel, which scrolls, would clip the list of choices.
      comboboxProps={{ withinPortal: true }}
      allowDeselect={false}
      value={chosen}
      error={chosen === null && 'Choose a flow'}
      disabled={disabled}
      onChange={(id, label) => id !== null && label !== null && onChange(id, label.replace(/ \(\d+\)$/, ''))}
    />
  );
}

/** The field of a node that calls a flow. */
export const FlowField = ({ formData, onChange, fieldPathId, disabled }: FieldProps) => (
  <CalledFlow
    value={formData}
    disabled={disabled === true}
    onChange={(id) => onChange(id, fieldPathId.path)}
  />
);
