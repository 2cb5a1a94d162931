import { Badge, Code, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/dialogs/confirm_button.tsx';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Page } from '../shared/page/page.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { When } from '../shared/time/when.tsx';
import { AddWallet } from './add_wallet.tsx';
import { RenameWallet } from './rename_wallet.tsx';

interface WalletRow {
  id: number;
  type: string;
  name: string;
  public_key: string;
  created_at: string;
}

const KINDS: Record<string, string> = {
  HARDCODED: 'signs by itself',
  ADAPTER: 'you are asked to sign',
};

const titleOf = ({ name, public_key }: WalletRow) => name === '' ? public_key : name;

function DeleteWallet({ row }: { row: WalletRow }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={titleOf(row)}
      size='xs'
      question={row.type === 'HARDCODED'
        ? 'Its secret key is deleted, too. If you have no copy of the key, everything that the wallet owns is lost.'
        : 'Flows can no longer use the wallet. The holder of its key keeps everything that it owns.'}
      onConfirm={async () => {
        await db.from('wallets').delete().eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: ['wallets'] });
      }}
    />
  );
}

const COLUMNS: Column<WalletRow>[] = [
  { header: 'Name', cell: (row) => row.name === '' ? <Text c='dimmed' size='sm'>without a name</Text> : row.name },
  { header: 'Public key', cell: ({ public_key }) => <Code>{public_key}</Code> },
  { header: 'How it signs', cell: ({ type }) => <Badge variant='default' tt='none'>{KINDS[type] ?? type}</Badge> },
  { header: 'Added', cell: ({ created_at }) => <When at={created_at} /> },
  {
    header: 'Actions',
    isHeaderHidden: true,
    cell: (row) => (
      <Group gap='xs' justify='flex-end'>
        <RenameWallet id={row.id} name={row.name} title={titleOf(row)} />
        <DeleteWallet row={row} />
      </Group>
    ),
  },
];

export function WalletsPage() {
  const { db } = useApi();
  const list = usePagedRows({
    queryKey: ['wallets', 'list'],
    read: async (from, to, signal) => {
      const { data } = await db.from('wallets').select('id, type, name, public_key, created_at').order('id')
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Page
      title='Wallets'
      description='The keys with which your flows sign transactions.'
      actions={<AddWallet />}
    >
      <PagedTable
        label='wallets'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <EmptyState title='You have no wallets yet'>
            For example: the wallet from which a flow pays out prizes. Add its public key, and you are asked to sign; or
            add its key pair, and the runner signs by itself.
          </EmptyState>
        }
      />
    </Page>
  );
}
