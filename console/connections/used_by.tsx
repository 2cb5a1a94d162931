import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { DocsLink } from '../shared/docs_link.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Section } from '../shared/page/section.tsx';

/** The most flows that are listed. */
const LISTED = 50;

/** The user's flows that have a node which names the connection. */
export function UsedBy({ name }: { name: string }) {
  const { db } = useApi();
  const userId = useUserId();
  const { data: flows, error, refetch } = useQuery({
    queryKey: ['connections', 'flows', name],
    queryFn: async ({ signal }) => {
      const node = { data: { targets_form: { form_data: { connection: name } } } };
      const { data } = await db.from('flows').select('id, name').eq('user_id', userId)
        .contains('nodes', JSON.stringify([node])).order('id').limit(LISTED + 1).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Section title='Used by'>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {flows?.length === 0 && (
        <Text size='sm' c='dimmed'>
          No flow names it. Choose it in the field <q>Connection</q> of a node{' '}
          <DocsLink to='guides/connections' anchor='name-it-in-a-flow'>HTTP Request</DocsLink>.
        </Text>
      )}
      {flows !== undefined && flows.length > 0 && (
        <List size='sm'>
          {flows.slice(0, LISTED).map((flow) => (
            <List.Item key={flow.id}>
              <Anchor component={Link} href={`/flows/${flow.id}`}>{flow.name || `Flow ${flow.id}`}</Anchor>
            </List.Item>
          ))}
          {flows.length > LISTED && <List.Item>… and more</List.Item>}
        </List>
      )}
    </Section>
  );
}
