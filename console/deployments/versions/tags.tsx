import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { ConfirmButton } from '../../shared/dialogs/confirm_button.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { type Column, PagedTable } from '../../shared/page/paged_table.tsx';
import { Section } from '../../shared/page/section.tsx';
import { usePagedRows } from '../../shared/page/use_paged_rows.ts';
import type { DeploymentDetails } from '../deployment.ts';
import { deploymentLimits } from '../../../types/limits/deployments.ts';

interface TagRow {
  entrypoint: number;
  tag: string;
  deployment_id: string;
}

/** Gives the deployment a tag. If another deployment of the flow has the tag, the tag moves to this deployment. */
function useTagging(deploymentId: string) {
  const { flows } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (tag: string) => {
      await flows.tag(deploymentId, tag);
      await queries.invalidateQueries({ queryKey: ['deployments'] });
    },
  });
}

function TagActions({ row, deploymentId }: { row: TagRow; deploymentId: string }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const move = useTagging(deploymentId);
  if (row.tag === 'latest') {
    return <Text size='sm' c='dimmed'>kept by the system: it always names the newest deployment</Text>;
  }
  return (
    <Stack gap='xs'>
      <Group gap='xs'>
        {row.deployment_id !== deploymentId && (
          <Button
            variant='default'
            size='xs'
            aria-label={`Move ${row.tag} here`}
            loading={move.isPending}
            onClick={() => move.mutate(row.tag)}
          >
            Move here
          </Button>
        )}
        <ConfirmButton
          label='Delete'
          describedAs={row.tag}
          size='xs'
          question='Starts that name the tag will fail.'
          onConfirm={async () => {
            await db.from('flow_deployments_tags').delete().eq('entrypoint', row.entrypoint).eq('tag', row.tag)
              .throwOnError();
            await queries.invalidateQueries({ queryKey: ['deployments'] });
          }}
        />
      </Group>
      <ErrorAlert error={move.error} />
    </Stack>
  );
}

const columnsFor = (deploymentId: string): Column<TagRow>[] => [
  { header: 'Tag', cell: ({ tag }) => <Text span fw={600}>{tag}</Text> },
  {
    header: 'Names',
    cell: ({ deployment_id }) =>
      deployment_id === deploymentId
        ? 'this deployment'
        : <Anchor component={Link} href={`/deployments/${deployment_id}`} size='sm'>another deployment</Anchor>,
  },
  {
    header: 'Actions',
    isHeaderHidden: true,
    cell: (row) => <TagActions row={row} deploymentId={deploymentId} />,
  },
];

function AddTag({ deploymentId }: { deploymentId: string }) {
  const [typed, setTyped] = useState('');
  const add = useTagging(deploymentId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(typed, { onSuccess: () => setTyped('') });
  };
  return (
    <form onSubmit={submit} aria-label='Add a tag'>
      <Stack gap='xs'>
        <Group align='flex-end'>
          <TextInput
            label='Tag'
            placeholder='stable'
            required
            maxLength={deploymentLimits.tag_characters.value}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value.trim())}
          />
          <Button type='submit' variant='default' loading={add.isPending}>Add tag</Button>
        </Group>
        <ErrorAlert error={add.error} />
      </Stack>
    </form>
  );
}

/** The tags of this deployment, and the tags of other deployments of the flow, which can be moved here. */
export function Tags({ deployment: { id, entrypoint } }: { deployment: DeploymentDetails }) {
  const { db } = useApi();
  const list = usePagedRows<TagRow>({
    queryKey: ['deployments', 'tags', entrypoint],
    parameter: 'tags',
    read: async (from, to, signal) => {
      const { data } = await db.from('flow_deployments_tags').select('entrypoint, tag, deployment_id')
        .eq('entrypoint', entrypoint).order('tag').range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Section title='Tags'>
      <Text size='sm' c='dimmed'>
        A start may name the flow and a tag instead of a deployment. A tag names one deployment of the flow at a time.
      </Text>
      <PagedTable
        label='tags'
        columns={columnsFor(id)}
        rowKey={({ tag }) => tag}
        list={list}
        empty={<Text c='dimmed'>The flow has no tags.</Text>}
      />
      <AddTag deploymentId={id} />
    </Section>
  );
}
