import { getDefaultRegistry } from '@rjsf/core';
import type { FieldProps } from '@rjsf/utils';
import { useMemo } from 'react';
import { isRounded, parseExactly } from '../exact_json.ts';
import { markedDigits, markExactNumbers } from './exact_numbers.ts';

const { fields } = getDefaultRegistry();
const NumberField = fields.NumberField!;
const StringField = fields.StringField!;

/** The input inside `NumberField`. It hands out an integer that JavaScript would round as a marked number. */
function DigitsField(props: FieldProps) {
  const { onChange, uiSchema } = props;
  // Mantine rounds the number when it trims the zeros of a field that loses the focus.
  const options = { ...uiSchema?.['ui:options'], trimLeadingZeroesOnBlur: false };
  return (
    <StringField
      {...props}
      uiSchema={{ ...uiSchema, 'ui:options': options }}
      onChange={(value, ...rest) => {
        onChange(
          typeof value === 'string' && isRounded(value) ? markExactNumbers(parseExactly(value)) : value,
          ...rest,
        );
      }}
    />
  );
}

/** A field for a number. It keeps the digits of an integer that JavaScript would round. */
export function ExactNumberField(props: FieldProps) {
  const { registry, formData } = props;
  const withDigits = useMemo(
    () => ({ ...registry, fields: { ...registry.fields, StringField: DigitsField } }),
    [registry],
  );
  return <NumberField {...props} registry={withDigits} formData={markedDigits(formData) ?? formData} />;
}
