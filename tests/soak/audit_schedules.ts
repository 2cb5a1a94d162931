import type { RowCheck } from './facts.ts';

/** The rules on schedules, all of which are due each minute. */
export const scheduleChecks: RowCheck[] = [
  {
    // A late start replaces several planned times, but one planned time never has several starts.
    name: 'planned_time_started_twice',
    find: (sql) =>
      sql`
      select s.id, planned.times, started.runs from public.flow_schedules as s
      cross join lateral (
        select floor(extract(epoch from now()) / 60) - floor(extract(epoch from s.created_at) / 60) as times
      ) as planned
      cross join lateral (select count(*) as runs from public.flow_run as r where r.schedule_id = s.id) as started
      where started.runs > planned.times`,
  },
  {
    name: 'schedule_never_started',
    find: (sql) =>
      sql`
      select s.id, s.created_at, s.last_error from public.flow_schedules as s
      where s.created_at < now() - interval '3 minutes' and s.last_flow_run_id is null`,
  },
  {
    name: 'last_start_misnamed',
    find: (sql) =>
      sql`
      select s.id, s.last_flow_run_id, newest.id as newest from public.flow_schedules as s
      cross join lateral (
        select r.id from public.flow_run as r where r.schedule_id = s.id order by r.id desc limit 1
      ) as newest
      where s.last_flow_run_id is distinct from newest.id`,
  },
];
