import { Form } from '@rjsf/mantine';
import type { RegistryFieldsType, RJSFSchema, UiSchema } from '@rjsf/utils';
import { type ReactNode, useMemo } from 'react';
import { AnythingField } from './anything_field.tsx';
import { schemaValidator } from './schema_validator.ts';

export interface SchemaFormProps {
  /** Begins the ids of its fields: different for each form on a page. */
  idPrefix: string;
  schema: RJSFSchema;
  uiSchema?: UiSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Called when the form is sent and all is right. Without it, the form has no button and changes at once. */
  onSubmit?: (value: unknown) => void;
  disabled?: boolean;
  /** Fields of the page's own, which `ui:field` names. */
  fields?: RegistryFieldsType;
  /** The buttons of a form that is sent. */
  children?: ReactNode;
}

const ignore = () => {};

const FIELDS = { anything: AnythingField };

/** A form made of a JSON Schema. A form without `onSubmit` stands in no form element, so it may stand in another form. */
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
      // What is wrong stands at its field; without this the library writes it to the browser's console, too.
      onError={ignore}
    >
      {children ?? <span />}
    </Form>
  );
}
