import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { DataQuestion, FileDrop, ImportButton, LeftOutAlert, useImport } from './flow_import.tsx';
import { FlowList } from './flow_list.tsx';
import { insertFlow } from './flow_rows.ts';
import { TemplatesButton } from './templates/templates_button.tsx';

export function FlowsPage() {
  const { db } = useApi();
  const [, navigate] = useLocation();
  const importing = useImport();
  const creating = useMutation({
    mutationFn: (flow: object) => insertFlow(db, flow),
    onSuccess: (id) => navigate(`/flows/${id}`),
  });
  const actions = (
    <Group gap='xs'>
      <ImportButton importing={importing} />
      <TemplatesButton
        label='Templates'
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
        <FlowList />
      </Page>
    </FileDrop>
  );
}
