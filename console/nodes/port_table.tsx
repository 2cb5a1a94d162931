import { Stack, Table, Text, Title } from '@mantine/core';
import type { DrawnInput, DrawnNode, DrawnPort } from '../shared/graph/drawn_node.ts';

interface PortListProps<Port extends DrawnPort> {
  title: string;
  ports: Port[];
  empty: string;
  remark: (port: Port) => string;
}

function PortList<Port extends DrawnPort>({ title, ports, empty, remark }: PortListProps<Port>) {
  return (
    <Stack gap='xs'>
      <Title order={2} size='h4'>{title}</Title>
      {ports.length === 0
        ? <Text c='dimmed'>{empty}</Text>
        : (
          <Table aria-label={title} role='table' className='console-table'>
            <Table.Thead role='rowgroup'>
              <Table.Tr role='row'>
                {['Name', 'Types', 'What it is'].map((header) => (
                  <Table.Th key={header} role='columnheader' scope='col'>{header}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role='rowgroup'>
              {ports.map((port) => (
                <Table.Tr key={port.id} role='row'>
                  <Table.Td role='cell' data-label='Name'>{port.name}</Table.Td>
                  <Table.Td role='cell' data-label='Types'>{port.types.join(', ')}</Table.Td>
                  <Table.Td role='cell' data-label='What it is'>
                    {[remark(port), port.description].filter((text) => text !== '').join('. ')}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
    </Stack>
  );
}

const describeInput = ({ isRequired, isPassedOn }: DrawnInput): string =>
  [...(isRequired ? ['Required'] : ['Optional']), ...(isPassedOn ? ['passed on'] : [])].join(', ');

/** The inputs and outputs of a node with their types, as tables. */
export const PortTable = ({ node }: { node: DrawnNode }) => (
  <>
    <PortList title='Inputs' ports={node.inputs} empty='It takes nothing.' remark={describeInput} />
    <PortList title='Outputs' ports={node.outputs} empty='It gives nothing.' remark={() => ''} />
  </>
);
