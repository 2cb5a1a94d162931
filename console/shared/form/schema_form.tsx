import { Form, Templates, Widgets } from '@rjsf/mantine';
import type {
  RegistryFieldsType,
  RegistryWidgetsType,
  RJSFSchema,
  RJSFValidationError,
  TemplatesType,
  UiSchema,
  WidgetProps,
} from '@rjsf/utils';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { chooseMarked } from './choose_marked.ts';
import { ExactNumberField } from './exact_number_field.tsx';
import { markExactNumbers, readExactNumbers } from './exact_numbers.ts';
import { faultAt, schemaValidator } from './schema_validator.ts';
import { ListField, MapField, StructureFaults } from './structured_fields.tsx';
import { TypedField } from './typed/typed_field.tsx';
import type { FormContext, UnreadableTexts } from './unreadable_texts.ts';

interface SchemaFormProps {
  /** The prefix of the fields' ids, different for each form on a page. */
  idPrefix: string;
  schema: RJSFSchema;
  uiSchema?: UiSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  /**
   * Called when the user submits a valid form. If the form has a fault, the first field with a fault gets the focus
   * instead. Without this function, the form has no button, and only `onChange` reports its values.
   */
  onSubmit?: (value: unknown) => void;
  disabled?: boolean;
  /** True for a form that is opened in a dialog: its first field gets the focus. */
  isFirstFocused?: boolean;
  /** Further fields of the page, which `uiSchema` selects by `ui:field`. */
  fields?: RegistryFieldsType;
  /** Templates and widgets of the page, beside those of every form. */
  templates?: Partial<TemplatesType>;
  widgets?: RegistryWidgetsType;
  /** Receives the texts that can not be read, for a page that uses the values without `onSubmit`. */
  unreadable?: UnreadableTexts;
  /** The buttons of a form with `onSubmit`. */
  children?: ReactNode;
}

/** The library's template of a field, for pages with a template of their own. */
export const PlainField = Templates.FieldTemplate!;

const FIRST_FIELD = 'input:not([type=hidden]), textarea, select, button';

/** The form library uses `FallbackField` for a schema of no known type, so its own field, an error, never appears. */
const FIELDS = {
  anything: TypedField,
  FallbackField: TypedField,
  ArrayField: ListField,
  ObjectField: MapField,
  NumberField: ExactNumberField,
};

const TEMPLATES = { FieldErrorTemplate: StructureFaults };

/** A list of choices in which typed letters mark the first match, so that Enter chooses it. */
function Choice(props: WidgetProps) {
  const Select = Widgets.SelectWidget!;
  return <Select {...props} options={{ ...(props.multiple !== true && MARKS_MATCH), ...props.options }} />;
}
const MARKS_MATCH = { selectFirstOptionOnChange: true };

const WIDGETS = { SelectWidget: Choice };

/** A choice instead of a checkbox, because an empty checkbox looks like `false` although it has no value. */
export const UNDECIDED_WIDGETS = { CheckboxWidget: Choice };
const WIDGETS_OF_SENT_FORMS = { ...WIDGETS, ...UNDECIDED_WIDGETS };

/** Adds the faults of texts that can not be read. They replace other faults of their fields, such as a missing value. */
function addUnreadable(faults: RJSFValidationError[], unreadable: UnreadableTexts): RJSFValidationError[] {
  const added = [...unreadable.values()].map(({ path, message }) => faultAt(path.map(String), 'json', message));
  const known = new Set(added.map(({ property }) => property));
  return [...faults.filter(({ property }) => !known.has(property)), ...added];
}

/** A form made from a JSON Schema. A form without `onSubmit` has no form element, so it may be inside another form. */
export function SchemaForm(props: SchemaFormProps) {
  const {
    idPrefix,
    schema,
    uiSchema = {},
    value,
    onChange,
    onSubmit,
    disabled = false,
    fields,
    children,
    isFirstFocused = false,
  } = props;
  const templates = useMemo(() => ({ ...TEMPLATES, ...props.templates }), [props.templates]);
  const known = onSubmit === undefined ? WIDGETS : WIDGETS_OF_SENT_FORMS;
  const widgets = useMemo(() => ({ ...known, ...props.widgets }), [known, props.widgets]);
  const marked = useMemo(() => markExactNumbers(value), [value]);
  const place = useRef<HTMLDivElement>(null);
  const allFields = useMemo(() => ({ ...FIELDS, ...fields }), [fields]);
  const [ownTexts] = useState<UnreadableTexts>(() => new Map());
  const unreadable = props.unreadable ?? ownTexts;
  const formContext = useMemo((): FormContext => ({ unreadable }), [unreadable]);
  useEffect(() => {
    // The dialog moves the focus to the marked element as soon as it is open.
    if (isFirstFocused) place.current?.querySelector(FIRST_FIELD)?.setAttribute('data-autofocus', '');
  }, [isFirstFocused]);
  /** Sends the form by Ctrl+Enter, also from a field in which Enter makes a new line. */
  const send = (event: KeyboardEvent) => {
    if (onSubmit === undefined || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    place.current?.querySelector('form')?.requestSubmit();
  };
  const focusFirstFault = () =>
    place.current?.querySelector<HTMLElement>('[aria-invalid="true"], .form-fault')?.focus();
  return (
    <div ref={place} onKeyDown={send} onKeyDownCapture={chooseMarked}>
      <Form
        idPrefix={idPrefix}
        schema={schema}
        uiSchema={uiSchema}
        formData={marked}
        formContext={formContext}
        fields={allFields}
        templates={templates}
        widgets={widgets}
        validator={schemaValidator}
        transformErrors={(faults) => addUnreadable(faults, unreadable)}
        tagName={onSubmit === undefined ? 'div' : 'form'}
        // The browser shows its own message for one missing field at a time. The form marks each fault at its field.
        noHtml5Validate
        showErrorList={false}
        liveValidate={onSubmit === undefined ? 'onChange' : false}
        disabled={disabled}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
        onChange={({ formData }) => onChange(readExactNumbers(formData))}
        onSubmit={({ formData }) => onSubmit?.(readExactNumbers(formData))}
        // Without this handler, the library logs faults to the browser's console.
        onError={focusFirstFault}
      >
        {children ?? <span />}
      </Form>
    </div>
  );
}
