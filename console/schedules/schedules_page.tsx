import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Icon } from '../shared/icon.tsx';
import { Page } from '../shared/page/page.tsx';
import { ScheduleTable } from '../shared/schedules/schedule_table.tsx';

export function SchedulesPage() {
  const newButton = (
    <Button component={Link} href='/schedules/new' leftSection={<Icon name='plus' />}>New schedule</Button>
  );
  return (
    <Page title='Schedules' description='Deployments that start by themselves.' actions={newButton}>
      <ScheduleTable
        empty={
          <EmptyState
            title='You have no schedules yet'
            action={<Button component={Link} href='/schedules/new'>Plan the first one</Button>}
          >
            A schedule starts a deployment at the times that you plan. For example: the nightly report, each night at
            two.
          </EmptyState>
        }
      />
    </Page>
  );
}
