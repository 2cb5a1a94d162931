import { Form } from '@rjsf/mantine';
import type { RegistryFieldsType, RJSFSchema, UiSchema } from '@rjsf/utils';
import { type ReactNode, useMemo } from 'react';
import { AnythingField } from './anything_field.tsx';
import { schemaValidator } from './schema_validator.ts';

export interface SchemaFormProps {
  /** The prefix of the fields' ids, different for each form on a page. */
  idPrefix: string;
  schema: RJSFSchema;
  uiSchema?: UiSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  /**
   * Called when the user submits a valid form. Without this function, the form has no button, and only `onChange`
   * reports its values.
   */
  onSubmit?: (value: unknown) => void;
  disabled?: boolean;
  /** Further fields of the page, which `uiSchema` selects by `ui:field`. */
  fields?: RegistryFieldsType;
  /** The buttons of a form with `onSubmit`. */
  children?: ReactNode;
}

const ignore = () => {};

const FIELDS = { anything: AnythingField };

/** A form made from a JSON Schema. A form without `onSubmit` has no form element, so it may be inside another form. */
export function SchemaForm(props: SchemaFormProps) {
  const { idPrefix, schema, uiSchema = {}, value, onChange, onSubmit, disabled = false, fields, children } = props;
  const allFields = useMemo(() => ({ ...FIELDS, ...fields }), [fields]);
  return (
    <Form
      idPrefix={idPrefix}
      schema={schema}
      uiSchema={uiSchema}
      formData={value}
      fields={allFields}
      validator={schemaValidator}
      tagName={onSubmit === undefined ? 'div' : 'form'}
      showErrorList={false}
      liveValidate={onSubmit === undefined ? 'onChange' : false}
      disabled={disabled}
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
      onChange={({ formData }) => onChange(formData)}
      onSubmit={({ formData }) => onSubmit?.(formData)}
      // Faults are shown at their fields; without this handler the library also logs them to the browser's console.
      onError={ignore}
    >
      {children ?? <span />}
    </Form>
  );
}
