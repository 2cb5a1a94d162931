import { queryOptions } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { isUuid } from '../shared/is_uuid.ts';

/** A schedule as the database stores it. */
export type ScheduleRow = Database['public']['Tables']['flow_schedules']['Row'];

/** What a person decides of a schedule; the rest the system keeps. */
export type ScheduleSettings = Pick<
  ScheduleRow,
  'flow' | 'tag' | 'deployment_id' | 'cron' | 'time_zone' | 'inputs' | 'policy' | 'is_active'
>;

/** Reads one schedule; null when there is none, or it is somebody else's. */
export const scheduleQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: async ({ signal }): Promise<ScheduleRow | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('flow_schedules').select().eq('id', id).abortSignal(signal).maybeSingle()
        .throwOnError();
      return data;
    },
  });
