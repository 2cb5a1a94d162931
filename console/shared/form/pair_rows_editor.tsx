import { Button, CloseButton, Group, Input, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PairRow } from './pair_rows.ts';

/** A row of the field. */
function Row(props: {
  label: string;
  row: PairRow;
  disabled: boolean;
  onChange: (row: PairRow) => void;
  onRemove: () => void;
}) {
  const { label, row, disabled, onChange, onRemove } = props;
  const common = { size: 'xs', flex: '1 1 6rem', disabled, autoComplete: 'off', spellCheck: false } as const;
  return (
    <Group gap={4} wrap='nowrap' align='flex-start'>
      <TextInput
        {...common}
        aria-label={`Name of ${label}`}
        placeholder='Name'
        value={row.name}
        error={row.name === '' && row.value !== '' && 'A name is missing'}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
      />
      <TextInput
        {...common}
        aria-label={`Value of ${label}`}
        placeholder='Value'
        value={row.value}
        onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
      />
      <CloseButton aria-label={`Remove ${label}`} disabled={disabled} onClick={onRemove} />
    </Group>
  );
}

interface PairRowsEditorProps {
  label: string;
  description?: ReactNode;
  rows: readonly PairRow[];
  disabled?: boolean;
  onChange: (rows: PairRow[]) => void;
}

/** Rows of names and texts. */
export function PairRowsEditor({ label, description, rows, disabled = false, onChange }: PairRowsEditorProps) {
  return (
    <Input.Wrapper label={label} labelElement='div' description={description} role='group' aria-label={label}>
      <Stack gap={4} mt={4} align='stretch'>
        {rows.map((row, index) => (
          <Row
            // Rows have no other identity than their place.
            key={index}
            label={`${label} ${index + 1}`}
            row={row}
            disabled={disabled}
            onChange={(changed) => onChange(rows.with(index, changed))}
            onRemove={() => onChange(rows.toSpliced(index, 1))}
          />
        ))}
        <Button
          variant='default'
          size='compact-xs'
          w='fit-content'
          disabled={disabled}
          aria-label={`Add to ${label}`}
          onClick={() => onChange([...rows, { name: '', value: '' }])}
        >
          Add
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
