import { Table } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { Section } from '../shared/page/section.tsx';

const COLUMNS = [
  ['Requests', 'requests'],
  ['Input tokens', 'input_tokens'],
  ['Output tokens', 'output_tokens'],
] as const;

/** What the models cost that the run and its called runs have asked. Shows nothing if they have asked none. */
export function RunUsage({ usage }: Pick<RunRow, 'usage'>) {
  const models = Object.entries(objectAt(usage));
  if (models.length === 0) return null;
  return (
    <Section title='Models'>
      <Table aria-label='Usage of models' role='table' verticalSpacing='xs' className='console-table'>
        <Table.Thead role='rowgroup'>
          <Table.Tr role='row'>
            <Table.Th role='columnheader' scope='col'>Model</Table.Th>
            {COLUMNS.map(([header]) => <Table.Th key={header} role='columnheader' scope='col'>{header}</Table.Th>)}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role='rowgroup'>
          {models.map(([model, counts]) => (
            <Table.Tr key={model} role='row'>
              <Table.Td role='cell' data-label='Model'>{model}</Table.Td>
              {COLUMNS.map(([header, member]) => (
                <Table.Td key={member} role='cell' data-label={header}>
                  {Number(objectAt(counts)[member] ?? 0).toLocaleString('en')}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
