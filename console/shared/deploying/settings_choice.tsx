import { Checkbox, Stack, Table, Text } from '@mantine/core';
import type { ComparedSetting } from './former_settings.ts';
import { describeSetting } from './setting_words.ts';

interface SettingsChoiceProps {
  differing: readonly ComparedSetting[];
  isKept: boolean;
  onChange: (isKept: boolean) => void;
}

/** The choice whether a deploy keeps the settings of the former deployment, with the settings that differ. */
export function SettingsChoice({ differing, isKept, onChange }: SettingsChoiceProps) {
  return (
    <Stack gap='xs'>
      <Checkbox
        label='Keep the settings of the former deployment'
        description={isKept ? 'The new deployment has the same settings.' : 'These settings change with the deploy.'}
        checked={isKept}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <Table.ScrollContainer minWidth={280} maxHeight='40vh'>
        <Table withTableBorder aria-label='Settings that differ' style={{ tableLayout: 'fixed' }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope='col'>Setting</Table.Th>
              <Table.Th scope='col'>Former deployment</Table.Th>
              <Table.Th scope='col'>Otherwise</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map((compared) => {
              const { label, kept, otherwise } = describeSetting(compared);
              return (
                <Table.Tr key={compared.setting}>
                  <Table.Th scope='row' fw={500}>{label}</Table.Th>
                  {[{ text: kept, isUsed: isKept }, { text: otherwise, isUsed: !isKept }].map((
                    { text, isUsed },
                    index,
                  ) => (
                    <Table.Td key={index} className='console-text'>
                      <Text size='sm' lineClamp={3} fw={isUsed ? 600 : undefined} c={isUsed ? undefined : 'dimmed'}>
                        {text}
                      </Text>
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
