import { Anchor, List } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { FlowError } from 'flow-deployments-client';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/dialogs/confirm_button.tsx';

/** A tagged deployment that uses the connection. */
interface ConnectionUser {
  deployment_id: string;
  tags: string[];
}

/** Returns the deployments that the refusal of a deletion lists. */
function usersIn(error: unknown): ConnectionUser[] {
  if (!(error instanceof FlowError) || error.code !== 'connection_in_use' || !Array.isArray(error.details)) return [];
  return error.details as ConnectionUser[];
}

/**
 * A button that deletes a connection. If tagged deployments use the connection, the database refuses, and the button
 * lists them with links.
 */
export function DeleteConnection({ name }: { name: string }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [users, setUsers] = useState<ConnectionUser[]>([]);
  const remove = async () => {
    try {
      await flows.deleteConnection(name);
    } catch (error) {
      setUsers(usersIn(error));
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ['connections'] });
    navigate('/connections');
  };
  return (
    <ConfirmButton
      label='Delete'
      question={users.length === 0
        ? 'Its secret is deleted, too. Flows that name the connection can no longer be deployed.'
        : (
          <>
            These deployments use it:
            <List size='sm'>
              {users.map(({ deployment_id, tags }) => (
                <List.Item key={deployment_id}>
                  <Anchor component={Link} href={`/deployments/${deployment_id}`}>{tags.join(', ')}</Anchor>
                </List.Item>
              ))}
            </List>
          </>
        )}
      onConfirm={remove}
    />
  );
}
