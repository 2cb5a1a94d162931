import { Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { NewWebhook } from '../shared/webhooks/new_webhook.tsx';
import { WEBHOOKS_KEY } from '../shared/webhooks/webhook.ts';
import { WebhookTable } from '../shared/webhooks/webhook_table.tsx';

/** The URLs with which others start deployments of the user. */
export function Webhooks() {
  const queries = useQueryClient();
  return (
    <Stack component='section' aria-labelledby='webhooks'>
      <Group justify='space-between' align='flex-end'>
        <Stack gap={0}>
          <Title order={2} size='h4' id='webhooks'>Webhooks</Title>
          <Text size='sm' c='dimmed'>Anybody who posts JSON to the URL of a webhook starts a deployment as you.</Text>
        </Stack>
        <NewWebhook
          onMade={() => void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY })}
        />
      </Group>
      <WebhookTable
        empty={
          <EmptyState title='You have no webhooks yet'>
            For example: a repository on GitHub posts each push to the URL, and each push starts a run. Make one for
            each sender.
          </EmptyState>
        }
      />
    </Stack>
  );
}
