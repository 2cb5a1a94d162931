import { Switch, Text } from '@mantine/core';
import type { FieldTemplateProps, WidgetProps } from '@rjsf/utils';
import { PairsField } from '../../../../shared/form/pairs_field.tsx';
import { PlainField } from '../../../../shared/form/schema_form.tsx';

/** A field with the name of its input beside the label. */
function NodeField(props: FieldTemplateProps) {
  const { fieldPathId: { path }, label } = props;
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string' || props.hidden === true) return <PlainField {...props} />;
  return (
    <div className='editor-field'>
      {name !== label && <Text span className='editor-field-name' size='xs' c='dimmed'>{name}</Text>}
      <PlainField {...props} />
    </div>
  );
}

function NodeSwitch({ id, label, value, required, disabled, readonly, options, rawErrors, onChange }: WidgetProps) {
  const description = typeof options.description === 'string' ? options.description : undefined;
  return (
    <Switch
      id={id}
      label={label}
      description={description}
      checked={value === true}
      required={required ?? false}
      disabled={disabled === true || readonly === true}
      error={rawErrors?.join('\n')}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

/** The fields, templates and widgets of a node's form, beside those of every form. */
export const NODE_FIELDS = { pairs: PairsField };
export const NODE_TEMPLATES = { FieldTemplate: NodeField };
export const NODE_WIDGETS = { CheckboxWidget: NodeSwitch };
