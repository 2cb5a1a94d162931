import { Anchor, Code, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Section } from '../../shared/page/section.tsx';
import type { FailureGroup } from './find_runs.ts';

/**
 * The most characters of a search. If the text of an error has more characters, the link searches for the beginning of
 * the text.
 */
const SEARCHED = 100;

/** Returns the address of the list that has only the runs with this failure. */
function listOf({ message }: FailureGroup): string {
  const parameters = new URLSearchParams(window.location.search);
  parameters.delete('page');
  parameters.set('search', message.slice(0, SEARCHED));
  parameters.set('status', 'failed');
  return `/runs?${parameters}`;
}

/** The failures of the filtered runs, grouped by node and text. Shows nothing if no run failed. */
export function Failures({ failures }: { failures: readonly FailureGroup[] }) {
  if (failures.length === 0) return null;
  return (
    <Section title='Why runs failed'>
      <Table aria-label='failures' role='table' className='console-table'>
        <Table.Thead role='rowgroup'>
          <Table.Tr role='row'>
            {['Runs', 'Node', 'Error', 'Newest'].map((header) => (
              <Table.Th key={header} role='columnheader' scope='col'>{header}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role='rowgroup'>
          {failures.map((failure) => {
            const { node_id, node, code, message, count, last_id } = failure;
            return (
              <Table.Tr key={`${node_id} ${message}`} role='row'>
                <Table.Td role='cell' data-label='Runs'>
                  <Anchor component={Link} size='sm' href={listOf(failure)} aria-label={`Show these ${count} runs`}>
                    {count}
                  </Anchor>
                </Table.Td>
                <Table.Td role='cell' data-label='Node'>{node ?? <Text span c='dimmed'>the run</Text>}</Table.Td>
                <Table.Td role='cell' data-label='Error'>
                  <Text size='sm' lineClamp={2} title={message}>
                    {code !== null && <Code>{code}</Code>}{' '}
                    {code !== null && message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message}
                  </Text>
                </Table.Td>
                <Table.Td role='cell' data-label='Newest'>
                  <Anchor component={Link} size='sm' href={`/runs/${last_id}`}>Open</Anchor>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
