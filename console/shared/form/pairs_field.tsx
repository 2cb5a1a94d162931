import type { FieldProps } from '@rjsf/utils';
import { useState } from 'react';
import { readExactNumbers } from './exact_numbers.ts';
import { isStored, type PairRow, readRows, toPairs } from './pair_rows.ts';
import { PairRowsEditor } from './pair_rows_editor.tsx';
import { TypedField } from './typed/typed_field.tsx';

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
    <PairRowsEditor
      label={label}
      description={schema.description}
      rows={rows}
      disabled={isDisabled}
      onChange={change}
    />
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
