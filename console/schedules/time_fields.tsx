import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { type DateFormat, useDateFormat } from '../shared/time/dates.ts';
import { showError } from '../shared/errors/shown_error.ts';
import type { ScheduleSettings } from './schedule.ts';
import { deploymentLimits } from '../../types/limits/deployments.ts';

/** The time zones that the browser knows. The database decides whether a zone is valid. */
const TIME_ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

const POLICIES = [
  { value: 'catch_up_one', label: 'Start once, late, for all of them' },
  { value: 'skip', label: 'Wait for the next planned time' },
];

/** Milliseconds without typing after which the database is asked for the next times. */
const TYPING_MS = 300;

/** Reads the next times of the schedule in the form. */
function useNextTimes({ cron, time_zone }: ScheduleSettings) {
  const { db } = useApi();
  const [asked] = useDebouncedValue(`${time_zone} ${cron}`, TYPING_MS);
  const [zone = '', ...fields] = asked.split(' ');
  return useQuery({
    queryKey: ['schedules', 'next times', asked],
    queryFn: async ({ signal }) => {
      const { data } = await db.rpc('next_cron_times', { cron: fields.join(' '), time_zone: zone }).abortSignal(signal)
        .throwOnError();
      return { zone, times: data };
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Makes a format for times in a zone. If the browser does not know the zone, the format uses UTC. */
function timeFormat(timeZone: string, format: DateFormat): Intl.DateTimeFormat {
  const isInDigits = format === 'digits';
  // In the language en-CA, dates in digits have the form of ISO 8601, and the names of days are English.
  const language = isInDigits ? 'en-CA' : 'en';
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    year: 'numeric',
    month: isInDigits ? '2-digit' : 'short',
    day: isInDigits ? '2-digit' : 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  };
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  }
}

function NextTimes({ zone, times }: { zone: string; times: string[] }) {
  const format = timeFormat(zone, useDateFormat());
  return (
    <Stack gap={2}>
      <Text size='sm' id='next-times'>The next starts would be:</Text>
      <ul aria-labelledby='next-times' className='console-plain-list'>
        {times.map((time) => (
          <li key={time}>
            <Text size='sm' component='time' dateTime={time}>{format.format(new Date(time))}</Text>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

interface TimeFieldsProps {
  settings: ScheduleSettings;
  change: (changed: Partial<ScheduleSettings>) => void;
}

/** The fields for the times, the time zone, and the policy for missed times. */
export function TimeFields({ settings, change }: TimeFieldsProps) {
  const { data, error } = useNextTimes(settings);
  const zones = TIME_ZONES.includes(settings.time_zone) ? TIME_ZONES : [...TIME_ZONES, settings.time_zone];
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label='When'
          description='Cron: minute, hour, day of month, month, day of week.'
          required
          maxLength={deploymentLimits.cron_characters.value}
          value={settings.cron}
          error={error === null ? undefined : showError(error).message}
          onChange={(event) => change({ cron: event.currentTarget.value })}
        />
        <Select
          label='Time zone'
          description='The times are local times of this zone.'
          data={zones}
          searchable
          allowDeselect={false}
          limit={50}
          nothingFoundMessage='No time zone has this name'
          value={settings.time_zone}
          onChange={(time_zone) => time_zone !== null && change({ time_zone })}
        />
      </SimpleGrid>
      <div aria-live='polite'>{data !== undefined && error === null && <NextTimes {...data} />}</div>
      <Select
        label='When a planned time was missed'
        data={POLICIES}
        allowDeselect={false}
        value={settings.policy}
        onChange={(policy) => policy !== null && change({ policy })}
      />
    </>
  );
}
