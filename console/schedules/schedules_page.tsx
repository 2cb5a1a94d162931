import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { RowStartTable } from '../shared/row_starts/row_start_table.tsx';
import { ScheduleTable } from '../shared/schedules/schedule_table.tsx';
import { Section } from '../shared/page/section.tsx';

export function SchedulesPage() {
  const newButton = (
    <Button component={Link} href='/schedules/new' leftSection={<Icon name='plus' />}>New schedule</Button>
  );
  return (
    <Page title='Schedules' description='Deployments that start by themselves.' actions={newButton}>
      <ScheduleTable
        empty={
          <EmptyState title='You have no schedules yet'>
            A schedule starts a deployment at the times that you plan. For example: the nightly report, each night at
            two.
          </EmptyState>
        }
      />
      <Section title='Row changes'>
        <RowStartTable
          empty={
            <Text c='dimmed'>
              No change of a table starts a flow of yours. The owner of a table makes a row start with the SQL function
              private.start_flow_on_rows.
            </Text>
          }
        />
      </Section>
    </Page>
  );
}
