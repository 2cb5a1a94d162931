import { Box, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { runLimits } from '../../../types/limits/runs.ts';
import { FlowFilter } from '../../shared/targets/flow_filter.tsx';
import { isUuid } from '../../shared/is_uuid.ts';
import { periods } from './periods.ts';
import { NO_FILTER, type RunSearch, type StarterKind, STARTERS, STATUSES } from './run_filter.ts';

/** The pause in typing after which a search begins. */
const TYPING_MS = 300;

interface FieldsProps {
  filter: RunSearch;
  change: (changed: RunSearch) => void;
}

function SearchField({ filter, change }: FieldsProps) {
  const [typed, setTyped] = useState(filter.search ?? '');
  const search = useDebouncedCallback((text: string) => change({ search: text }), TYPING_MS);
  return (
    <TextInput
      type='search'
      label='Search'
      placeholder='Error, id, starter'
      maxLength={runLimits.run_search_characters.value}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}

/** Changes the filter only if the typed text is an id, or empty. */
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

/** Fields that a narrow screen shows only on request, so that the list of runs comes first. */
const MoreFields = ({ isOpen, children }: { isOpen: boolean; children: ReactNode }) => (
  <Box className='runs-more' mod={{ open: isOpen }}>{children}</Box>
);

/** The period. One click chooses a usual period, and two fields any other period. */
function PeriodFields({ filter, change, isOpen }: FieldsProps & { isOpen: boolean }) {
  return (
    <Group align='flex-end' gap='sm'>
      <Group gap={4} role='group' aria-label='Period'>
        {periods(new Date()).map(({ label, period }) => {
          const isChosen = filter.from === period.from && filter.until === period.until;
          return (
            <Button
              key={label}
              size='sm'
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => change({ from: period.from, until: period.until })}
            >
              {label}
            </Button>
          );
        })}
      </Group>
      <MoreFields isOpen={isOpen}>
        <TextInput
          label='From'
          type='datetime-local'
          className='runs-time'
          value={filter.from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          label='Until'
          type='datetime-local'
          className='runs-time'
          value={filter.until ?? ''}
          onChange={(event) => change({ until: event.currentTarget.value })}
        />
      </MoreFields>
    </Group>
  );
}

/** The fields of the filter of runs. */
export function RunFilterFields({ filter, change }: FieldsProps) {
  const [version, setVersion] = useState(0);
  const [isOpen, { toggle }] = useDisclosure();
  const isSet = Object.values(filter).some((value) => value !== undefined);
  return (
    <Stack gap='xs' component='section' aria-label='Filter'>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing='sm'>
        <SearchField key={`search ${version}`} filter={filter} change={change} />
        <Button hiddenFrom='md' variant='default' className='runs-more-button' aria-expanded={isOpen} onClick={toggle}>
          More filters
        </Button>
        <MoreFields isOpen={isOpen}>
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
          <Select
            label='Started by'
            placeholder='Anybody'
            data={Object.entries(STARTERS).map(([value, label]) => ({ value, label }))}
            value={filter.starter ?? null}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear the starter' }}
            // SAFETY: the values are the kinds of starters.
            onChange={(starter) => change({ starter: (starter ?? undefined) as StarterKind | undefined })}
          />
        </MoreFields>
      </SimpleGrid>
      <PeriodFields filter={filter} change={change} isOpen={isOpen} />
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
