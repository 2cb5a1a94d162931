import { Anchor, Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Icon } from '../../shared/icon.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { RowStartTable } from '../../shared/row_starts/row_start_table.tsx';
import { ScheduleTable } from '../../shared/schedules/schedule_table.tsx';
import { Section } from '../../shared/page/section.tsx';
import { NewWebhook } from '../../shared/webhooks/new_webhook.tsx';
import { WEBHOOKS_KEY } from '../../shared/webhooks/webhook.ts';
import { WebhookTable } from '../../shared/webhooks/webhook_table.tsx';
import { tagsOfQuery } from '../deployment.ts';
import type { DeploymentTabProps } from '../tab_props.ts';

/** The schedules, webhooks and row changes that start the deployment, by its id or by a tag that it has. */
export default function Triggers({ deployment: { id, entrypoint } }: DeploymentTabProps) {
  const queries = useQueryClient();
  const { data: tags, error, isPending, refetch } = useQuery(tagsOfQuery(useApi(), id));
  if (isPending) return <Loading />;
  if (tags === undefined) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const of = { id, flow: entrypoint, tags };
  const newSchedule = (
    <Button component={Link} href={`/schedules/new?deployment=${id}`} leftSection={<Icon name='plus' />}>
      New schedule
    </Button>
  );
  const newWebhook = (
    <NewWebhook
      target={{ flow: null, tag: null, deployment_id: id }}
      onMade={() => void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY })}
    />
  );
  return (
    <>
      <Text size='sm' c='dimmed'>
        {tags.length === 0
          ? 'These name the deployment.'
          : `These name the deployment, or its flow with the tag ${tags.join(' or ')}.`} See also{' '}
        <Anchor component={Link} href='/schedules' inherit underline='always'>all schedules</Anchor> and{' '}
        <Anchor component={Link} href='/settings' inherit underline='always'>all webhooks</Anchor>.
      </Text>
      <Section title='Schedules' aside={newSchedule}>
        <ScheduleTable of={of} empty={<Text c='dimmed'>No schedule starts this deployment.</Text>} />
      </Section>
      <Section title='Webhooks' aside={newWebhook}>
        <WebhookTable of={of} empty={<Text c='dimmed'>No webhook starts this deployment.</Text>} />
      </Section>
      <Section title='Row changes'>
        <RowStartTable of={of} empty={<Text size='sm' c='dimmed'>No change of a table starts this deployment.</Text>} />
      </Section>
    </>
  );
}
