import { useQuery } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { scheduleQuery } from './schedule.ts';
import { ScheduleForm } from './schedule_form.tsx';
import { ScheduleState } from './schedule_state.tsx';

/** A page for a new schedule, or to change one. */
export default function EditSchedulePage({ id }: { id?: string }) {
  const { data: row, error, isLoading } = useQuery({ ...scheduleQuery(useApi(), id ?? ''), enabled: id !== undefined });
  if (isLoading) return <Loading />;
  if (id !== undefined && row === null) return <NotFoundPage what='schedule' />;
  return (
    <Page
      title={id === undefined ? 'New schedule' : 'Schedule'}
      parents={[{ title: 'Schedules', href: '/schedules' }]}
      description='The schedule starts the deployment in your name, once for each planned time.'
    >
      <ErrorAlert error={error} />
      {row && <ScheduleState row={row} />}
      {(id === undefined || row) && <ScheduleForm row={row ?? undefined} />}
    </Page>
  );
}
