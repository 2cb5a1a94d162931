import { Button, CloseButton, Group, Input, Stack, TextInput } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { useState } from 'react';
import { readExactNumbers } from './exact_numbers.ts';
import { isStored, type PairRow, readRows, toPairs } from './pair_rows.ts';
import { TypedField } from './typed/typed_field.tsx';

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

/** The rows of a stored value. Rows without a name are not stored; they stay until the stored value changes. */
function Rows(props: FieldProps & { stored: PairRow[] }) {
  const { stored, formData, onChange, schema, name, fieldPathId, disabled, readonly } = props;
  const [written, setWritten] = useState(stored);
  const rows = isStored(written, formData) ? written : stored;
  const label = schema.title ?? name;
  const isDisabled = disabled === true || readonly === true;
  const change = (next: PairRow[]) => {
    setWritten(next);
    onChange(toPairs(next), fieldPathId.path);
  };
  return (
    <Input.Wrapper label={label} labelElement='div' description={schema.description} role='group' aria-label={label}>
      <Stack gap={4} mt={4} align='stretch'>
        {rows.map((row, index) => (
          <Row
            // Rows have no other identity than their place.
            key={index}
            label={`${label} ${index + 1}`}
            row={row}
            disabled={isDisabled}
            onChange={(changed) => change(rows.with(index, changed))}
            onRemove={() =>
              change(rows.toSpliced(index, 1))}
          />
        ))}
        <Button
          variant='default'
          size='compact-xs'
          w='fit-content'
          disabled={isDisabled}
          aria-label={`Add to ${label}`}
          onClick={() =>
            change([...rows, { name: '', value: '' }])}
        >
          Add
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

/**
 * A field for pairs of names and values, such as headers. A value that rows can't show, such as a list, has the field
 * for any JSON.
 */
export function PairsField(props: FieldProps) {
  const stored = readRows(readExactNumbers(props.formData));
  return stored === undefined ? <TypedField {...props} /> : <Rows {...props} stored={stored} />;
}
