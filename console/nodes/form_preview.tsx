import { Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { prepareForm } from '../shared/form/prepare_schema.ts';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { SchemaForm } from '../shared/form/schema_form.tsx';

/** The form of a definition, to try it out. Its contents are not stored. */
export function FormPreview({ schema, uiSchema }: { schema: unknown; uiSchema: unknown }) {
  const form = useMemo(() => prepareForm(schema, uiSchema), [schema, uiSchema]);
  const [value, setValue] = useState<unknown>({});
  const isEmpty = Object.keys(objectAt(form.schema, 'properties')).length === 0;
  if (isEmpty) {
    return (
      <Text size='sm' c='dimmed'>
        The definition has no form, so the canvas makes a field for each input from its type.
      </Text>
    );
  }
  return (
    <Stack>
      <Text size='sm' c='dimmed'>Try it: its contents are not stored.</Text>
      <SchemaForm idPrefix='preview' {...form} value={value} onChange={setValue} />
    </Stack>
  );
}
