import { Text } from '@mantine/core';
import { getDefaultRegistry } from '@rjsf/core';
import { errorId, type FieldErrorProps, type FieldProps } from '@rjsf/utils';
import { describesItems, describesMembers } from './field_kinds.ts';
import { TypedField } from './typed/typed_field.tsx';

const { fields } = getDefaultRegistry();
const ArrayField = fields.ArrayField!;
const ObjectField = fields.ObjectField!;

const isRoot = ({ fieldPathId }: Pick<FieldProps, 'fieldPathId'>): boolean => fieldPathId.path.length === 0;

/** A field for each member of a list, or rows if the schema does not describe the members. */
export const ListField = (props: FieldProps) =>
  describesItems(props.schema) ? <ArrayField {...props} /> : <TypedField {...props} />;

/** A field for each member of an object, or rows if the schema does not describe the members. */
export const MapField = (props: FieldProps) =>
  isRoot(props) || describesMembers(props.schema) ? <ObjectField {...props} /> : <TypedField {...props} />;

/** The faults of a list or an object as a whole. All other fields show their faults themselves. */
export function StructureFaults({ errors = [], fieldPathId, schema, registry }: FieldErrorProps) {
  const isStructure = schema.type === 'array'
    ? describesItems(schema) && !registry.schemaUtils.isMultiSelect(schema)
    : schema.type === 'object' && !isRoot({ fieldPathId }) && describesMembers(schema);
  if (errors.length === 0 || !isStructure) return null;
  return (
    <Text id={errorId(fieldPathId)} className='form-fault' size='sm' c='var(--mantine-color-error)' tabIndex={-1}>
      {errors.join('\n')}
    </Text>
  );
}
