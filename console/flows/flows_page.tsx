import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { MAX_SEARCH_LENGTH } from '../shared/definition_search.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { PagedTable } from '../shared/page/paged_table.tsx';
import { useSearch } from '../shared/page/use_search.ts';
import { DataQuestion, FileDrop, ImportButton, LeftOutAlert, useImport } from './flow_import.tsx';
import { FLOW_COLUMNS, useFlowList } from './flow_list.tsx';
import { insertFlow } from './flow_rows.ts';
import { TemplatesButton } from './templates/templates_button.tsx';

export function FlowsPage() {
  const { db } = useApi();
  const [, navigate] = useLocation();
  const [text, setText, searched] = useSearch();
  const list = useFlowList(searched);
  const importing = useImport();
  const templates = useRef<HTMLButtonElement>(null);
  const creating = useMutation({
    mutationFn: (flow: object) => insertFlow(db, flow),
    onSuccess: (id) => navigate(`/flows/${id}`),
  });
  const actions = (
    <Group gap='xs'>
      <ImportButton importing={importing} />
      <TemplatesButton
        label='Templates'
        buttonRef={templates}
        begin={async (flow) => void await creating.mutateAsync(flow)}
      />
      <Button
        leftSection={<Icon name='plus' />}
        loading={creating.isPending}
        onClick={() => creating.mutate({ name: 'New flow' })}
      >
        New flow
      </Button>
    </Group>
  );
  return (
    <FileDrop onFiles={importing.start}>
      <Page title='Flows' actions={actions}>
        <ErrorAlert error={creating.error} />
        <ErrorAlert error={importing.error} />
        <LeftOutAlert importing={importing} />
        <DataQuestion importing={importing} />
        {(searched !== '' || text !== '' || list.rows.length > 0) && (
          <TextInput
            type='search'
            label='Find a flow'
            maxLength={MAX_SEARCH_LENGTH}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maw='24rem'
          />
        )}
        <PagedTable
          label='flows'
          columns={FLOW_COLUMNS}
          rowKey={({ id }) => id}
          list={list}
          empty={searched !== '' ? <Text c='dimmed'>No flow has this text in its name.</Text> : (
            <EmptyState
              title='You have no flows yet'
              action={<Button onClick={() => templates.current?.click()}>Choose an example</Button>}
            >
              For example: read the rows of a CSV file, or send a report each night. “New flow” makes an empty flow. You
              can also drop files of another editor here.
            </EmptyState>
          )}
        />
      </Page>
    </FileDrop>
  );
}
