import { Code, Fieldset, Select, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { implementationLine } from '../../../../../types/described/implementation_line.ts';
import { useApi } from '../../../../shared/api.tsx';
import { ConnectionField } from '../../../../shared/form/connection_field.tsx';
import { SchemaForm, UNDECIDED_WIDGETS } from '../../../../shared/form/schema_form.tsx';
import type { UnreadableTexts } from '../../../../shared/form/unreadable_texts.ts';
import { objectAt, type PlainObject } from '../../../../shared/graph/drawn_node.ts';
import type { DrawnDefinition } from '../../definition.ts';
import {
  chosenByModel,
  fixedForm,
  labelOfDefinition,
  nodeOfValue,
  readToolChoices,
  readToolDefinition,
  valueOfNode,
  withFixed,
} from './described_tool.ts';
import { NODE_FIELDS } from './field_parts.tsx';

const FIELDS = { ...NODE_FIELDS, connection: ConnectionField };

interface DescribedToolProps {
  /** The prefix of the fields' ids. */
  idPrefix: string;
  node: PlainObject;
  disabled: boolean;
  unreadable: UnreadableTexts;
  /** Called with the changed node, and after a choice also with the title of its definition. */
  onChange: (node: PlainObject, title?: string) => void;
}

/** Chooses a definition by its name. */
function DefinitionSelect(
  { node, definition, disabled, onChange }: DescribedToolProps & { definition: DrawnDefinition | null | undefined },
) {
  const { db } = useApi();
  const [search, setSearch] = useState('');
  const value = valueOfNode(node);
  const label = definition ? labelOfDefinition(objectAt(definition, 'data')) : `${node.node_id} ${node.version}`;
  // The field shows the label of the chosen definition as its search.
  const wanted = search === label ? '' : search;
  const { data: found = [] } = useQuery({
    queryKey: ['nodes', 'tools', wanted],
    queryFn: ({ signal }) => readToolChoices(db, wanted, signal),
    placeholderData: keepPreviousData,
  });
  const others = found.filter((choice) => choice.value !== value);
  return (
    <Select
      label='Node'
      data={value === null ? others : [{ value, label }, ...others]}
      // The server has searched.
      filter={({ options }) => options}
      searchable
      required
      allowDeselect={false}
      nothingFoundMessage='There is no operation, tool or account of this name'
      // The panel, which scrolls, would clip the list of choices.
      comboboxProps={{ withinPortal: true }}
      value={value}
      error={value === null && 'Choose a node'}
      disabled={disabled}
      onSearchChange={setSearch}
      onChange={(next) => {
        const choice = others.find((one) => one.value === next);
        if (choice !== undefined) onChange(nodeOfValue(choice.value), choice.title);
      }}
    />
  );
}

/** The values that the author fixes. */
function FixedValues(
  { definition, idPrefix, node, disabled, unreadable, onChange }: DescribedToolProps & { definition: DrawnDefinition },
) {
  const formData = objectAt(node, 'form_data');
  const { schema, uiSchema } = useMemo(() => fixedForm(definition, formData), [definition, formData]);
  const left = chosenByModel(definition, formData);
  return (
    <Fieldset legend='Fixed values' variant='unstyled'>
      <Text size='xs' c='dimmed'>
        The model can’t change what you enter here.{' '}
        {left.length === 0 ? 'It chooses no input.' : `It chooses: ${left.join(', ')}`}
      </Text>
      <SchemaForm
        idPrefix={idPrefix}
        schema={schema}
        uiSchema={uiSchema}
        fields={FIELDS}
        widgets={UNDECIDED_WIDGETS}
        value={formData}
        disabled={disabled}
        unreadable={unreadable}
        onChange={(value) => onChange(withFixed(node, value))}
      />
    </Fieldset>
  );
}

/** The fields of a tool that is a described node. */
export function DescribedToolFields(props: DescribedToolProps) {
  const { node } = props;
  const { db } = useApi();
  const value = valueOfNode(node);
  const { data: definition } = useQuery({
    queryKey: ['nodes', 'tool', value],
    queryFn: ({ signal }) => readToolDefinition(db, value!, signal),
    enabled: value !== null,
  });
  return (
    <>
      <DefinitionSelect {...props} definition={definition} />
      {definition === null && (
        <Text size='sm' c='red'>There is no definition of this node, so the agent can’t run.</Text>
      )}
      {definition && (
        <>
          <Code className='console-text'>
            {implementationLine(
              definition.type,
              objectAt(definition, 'data').implementation,
              objectAt(node, 'form_data'),
            )}
          </Code>
          <FixedValues {...props} key={value} definition={definition} />
        </>
      )}
    </>
  );
}
