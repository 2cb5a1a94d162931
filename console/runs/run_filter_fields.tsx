import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FlowFilter } from '../shared/flow_filter.tsx';
import { isUuid } from '../shared/is_uuid.ts';
import { NO_FILTER, type RunSearch, STATUSES } from './run_filter.ts';

interface FieldsProps {
  filter: RunSearch;
  change: (changed: RunSearch) => void;
}

/** Filters when the typed text is an id or empty. */
function DeploymentField({ filter, change }: FieldsProps) {
  const [typed, setTyped] = useState(filter.deployment ?? '');
  const isRight = typed === '' || isUuid(typed);
  return (
    <TextInput
      label='Deployment'
      placeholder='Any, or its id'
      value={typed}
      error={isRight ? false : 'Must be the id of a deployment.'}
      onChange={(event) => {
        const next = event.currentTarget.value.trim();
        setTyped(next);
        if (next === '' || isUuid(next)) change({ deployment: next });
      }}
    />
  );
}

/** The fields of the filter of runs. */
export function RunFilterFields({ filter, change }: FieldsProps) {
  const [version, setVersion] = useState(0);
  const isSet = Object.values(filter).some((value) => value !== undefined);
  return (
    <Stack gap='xs' component='section' aria-label='Filter'>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing='sm'>
        <FlowFilter flow={filter.flow} choose={(flow) => change({ flow })} />
        <DeploymentField key={version} filter={filter} change={change} />
        <Select
          label='Status'
          placeholder='Any status'
          data={STATUSES}
          value={filter.status ?? null}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the status' }}
          onChange={(status) => change({ status: STATUSES.find((known) => known === status) })}
        />
        <TextInput
          label='From'
          type='datetime-local'
          value={filter.from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          label='Until'
          type='datetime-local'
          value={filter.until ?? ''}
          onChange={(event) => change({ until: event.currentTarget.value })}
        />
      </SimpleGrid>
      {isSet && (
        <Group>
          {filter.schedule !== undefined && <Text size='sm'>Only runs that one schedule started.</Text>}
          {filter.webhook !== undefined && <Text size='sm'>Only runs that one webhook started.</Text>}
          <Button
            variant='default'
            size='xs'
            onClick={() => {
              change(NO_FILTER);
              setVersion(version + 1);
            }}
          >
            Show all runs
          </Button>
        </Group>
      )}
    </Stack>
  );
}
