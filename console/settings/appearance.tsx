import { Radio, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { DATE_FORMATS, type DateFormat, exactTime, setDateFormat, useDateFormat } from '../shared/time/dates.ts';
import { Section } from '../shared/page/section.tsx';

const THEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'As the system' },
];

const describe = (format: DateFormat, now: Date): string =>
  format === 'age' ? 'The age, such as “5 minutes ago”' : exactTime(now, format);

/** The settings for the colours and dates of the console in this browser. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const format = useDateFormat();
  const now = new Date();
  return (
    <Section title='Appearance'>
      <Text size='sm' c='dimmed'>These settings are kept in this browser.</Text>
      <Stack gap={4} align='flex-start'>
        <Text size='sm' fw={500} id='theme'>Theme</Text>
        <SegmentedControl
          aria-labelledby='theme'
          data={THEMES}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
        />
      </Stack>
      <Radio.Group label='Dates' value={format} onChange={(chosen) => setDateFormat(chosen as DateFormat)}>
        <Stack gap='xs' mt={4}>
          {DATE_FORMATS.map((choice) => <Radio key={choice} value={choice} label={describe(choice, now)} />)}
        </Stack>
      </Radio.Group>
    </Section>
  );
}
