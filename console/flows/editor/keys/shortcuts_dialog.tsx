import { Anchor, Modal, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { SHORTCUTS } from './shortcut_table.ts';

/** The list of shortcuts. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title='Shortcuts' size='lg'>
      <Stack>
        <Table>
          <Table.Thead className='console-hidden'>
            <Table.Tr>
              <Table.Th>Keys</Table.Th>
              <Table.Th>What they do</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {SHORTCUTS.map(({ shown, what }) => (
              <Table.Tr key={shown}>
                <Table.Th scope='row'>{shown}</Table.Th>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size='sm'>
          On a Mac, Cmd is used in place of Ctrl.{' '}
          <Anchor component={Link} href='/docs/guides/console' size='sm' underline='always'>About the console</Anchor>
        </Text>
      </Stack>
    </Modal>
  );
}
