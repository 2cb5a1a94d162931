import { Button, CloseButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  type EditorProps,
  faultId,
  faultOfRow,
  KIND_TITLES,
  NEW_ROW,
  readRows,
  ROW_KINDS,
  rowsOf,
  type TypedRow,
} from './typed_value.ts';

const KIND_CHOICES = ROW_KINDS.map((kind) => ({ value: kind, label: KIND_TITLES[kind] }));

/** The value of a row: a choice for yes or no, else a text. */
function RowValue({ label, row, isWrong, disabled, autoFocus, onChange }: {
  label: string;
  row: TypedRow;
  isWrong: boolean;
  disabled: boolean;
  autoFocus: boolean;
  onChange: (row: TypedRow) => void;
}) {
  const common = {
    size: 'xs',
    flex: '2 1 5rem',
    miw: 0,
    disabled,
    autoFocus,
    error: isWrong,
    'aria-label': `Value of ${label}`,
  } as const;
  return row.kind === 'boolean'
    ? (
      <NativeSelect
        {...common}
        data={[{ value: '', label: '' }, { value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }]}
        value={row.text}
        onChange={({ currentTarget }) => onChange({ ...row, text: currentTarget.value })}
      />
    )
    : (
      <TextInput
        {...common}
        placeholder='Value'
        autoComplete='off'
        spellCheck={false}
        inputMode={row.kind === 'number' ? 'decimal' : undefined}
        value={row.text}
        onChange={({ currentTarget }) => onChange({ ...row, text: currentTarget.value })}
      />
    );
}

/** The rows of a list, or of a map with names. Each row has the kind of its value. */
export function RowsEditor(
  { isNamed, id, label, value, placeholder, disabled, error, onChange }: EditorProps & { isNamed: boolean },
) {
  const [rows, setRows] = useState(() => rowsOf(value));
  // A row that the user has added gets the focus.
  const [added, setAdded] = useState<number>();
  const change = (next: TypedRow[]) => {
    setRows(next);
    const read = readRows(next, isNamed);
    if ('fault' in read) onChange(undefined, read.fault);
    else onChange(read.value, undefined);
  };
  return (
    <Stack gap={4} align='stretch'>
      {rows.length === 0 && placeholder !== undefined && (
        <Text size='xs' c='dimmed' className='console-text'>Without a row: {placeholder}</Text>
      )}
      {rows.map((row, index) => {
        const own = `${label} ${index + 1}`;
        const set = (changed: TypedRow) => change(rows.with(index, changed));
        // The field shows the fault as a text.
        const isNameMissing = isNamed && row.name === '' && row.text !== '';
        return (
          // Rows have no other identity than their place.
          <Group key={index} gap={4} wrap='nowrap' align='flex-start'>
            {isNamed && (
              <TextInput
                size='xs'
                flex='1 1 4rem'
                miw={0}
                disabled={disabled}
                autoFocus={index === added}
                autoComplete='off'
                spellCheck={false}
                aria-label={`Name of ${own}`}
                placeholder='Name'
                value={row.name}
                error={isNameMissing}
                onChange={({ currentTarget }) => set({ ...row, name: currentTarget.value })}
              />
            )}
            <RowValue
              label={own}
              row={row}
              isWrong={!isNameMissing && faultOfRow(row, isNamed) !== undefined}
              disabled={disabled}
              autoFocus={!isNamed && index === added}
              onChange={set}
            />
            <NativeSelect
              size='xs'
              w='6.5rem'
              disabled={disabled}
              aria-label={`Kind of ${own}`}
              data={KIND_CHOICES}
              value={row.kind}
              onChange={({ currentTarget }) =>
                set({ ...row, kind: ROW_KINDS.find((kind) => kind === currentTarget.value)! })}
            />
            <CloseButton
              size='sm'
              aria-label={`Remove ${own}`}
              disabled={disabled}
              onClick={() => change(rows.toSpliced(index, 1))}
            />
          </Group>
        );
      })}
      <Button
        id={id}
        variant='default'
        size='compact-xs'
        w='fit-content'
        disabled={disabled}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error !== undefined ? faultId(id) : undefined}
        aria-label={`Add to ${label}`}
        onClick={() => {
          setAdded(rows.length);
          change([...rows, NEW_ROW]);
        }}
      >
        Add
      </Button>
    </Stack>
  );
}
