import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/dialogs/confirm_button.tsx';
import type { DefinitionRow } from './definition.ts';

/** What a user can do with a node definition: edit or delete an own one, and copy one of another user. */
export function DefinitionActions({ row }: { row: DefinitionRow }) {
  const { db } = useApi();
  const userId = useUserId();
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  if (row.user_id !== userId) {
    return <Button component={Link} href={`/nodes/new?from=${row.id}`} variant='default'>Copy as my own</Button>;
  }
  return (
    <>
      <Button component={Link} href={`/nodes/${row.id}/edit`}>Edit</Button>
      <ConfirmButton
        label='Delete'
        question={`Flows keep their copies of ${row.node_id} ${row.version}, and work as before.`}
        onConfirm={async () => {
          await db.from('nodes').delete().eq('id', row.id).throwOnError();
          goTo('/nodes', { replace: true });
          await queries.invalidateQueries({ queryKey: ['nodes'] });
        }}
      />
    </>
  );
}
