import { Anchor, Badge, Card, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { objectAt, readNode } from '../shared/graph/drawn_node.ts';
import { NodeCard } from '../shared/graph/node_card.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { When } from '../shared/time/when.tsx';
import { definitionOf, definitionQuery, type DefinitionRow } from './definition.ts';
import { DefinitionActions } from './definition_actions.tsx';
import { FormPreview } from './form_preview.tsx';
import { PortTable } from './port_table.tsx';

/** Returns an external address if links may lead to it. */
function webAddress(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url !== null && ['https:', 'http:'].includes(url.protocol) ? url.href : undefined;
}

function About({ row }: { row: DefinitionRow }) {
  const { tags } = objectAt(row.data);
  const resources = objectAt(row.data, 'resources');
  const links = [
    { title: 'Documentation', href: webAddress(resources.documentation_url) },
    { title: 'Source code', href: webAddress(resources.source_code_url) },
  ];
  return (
    <Stack gap='sm'>
      <Group gap='xs'>
        <Badge variant='default' tt='none'>{row.type}</Badge>
        <Badge variant='default' tt='none'>{row.is_public ? 'public' : 'only you see it'}</Badge>
        {Array.isArray(tags) &&
          tags.map((tag, index) => (
            <Anchor key={index} component={Link} href={`/nodes?search=${encodeURIComponent(String(tag))}`} size='sm'>
              {String(tag)}
            </Anchor>
          ))}
      </Group>
      <Text size='sm'>
        <Code>{row.node_id}</Code> version {row.version}, changed <When at={row.updated_at} />
      </Text>
      <Group>
        {links.flatMap(({ title, href }) =>
          href === undefined ? [] : [
            <Anchor key={title} href={href} target='_blank' rel='noreferrer' size='sm'>
              {title} at {new URL(href).host}
            </Anchor>,
          ]
        )}
      </Group>
    </Stack>
  );
}

export function DefinitionPage({ id }: { id: string }) {
  const { data: row, error, isPending, refetch } = useQuery(definitionQuery(useApi(), id));
  if (isPending) return <Loading />;
  if (error !== null && row === undefined) {
    return (
      <Page title='Node definition' parents={[{ title: 'Nodes', href: '/nodes' }]}>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (row === null || row === undefined) return <NotFoundPage what='node definition' />;
  const node = readNode(row);
  return (
    <Page
      title={node.title}
      parents={[{ title: 'Nodes', href: '/nodes' }]}
      description={node.description}
      actions={<DefinitionActions row={row} />}
    >
      <About row={row} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing='xl'>
        <section aria-labelledby='on-the-canvas'>
          <Title order={2} size='h4' mb='sm' id='on-the-canvas'>On the canvas</Title>
          <NodeCard node={node} />
        </section>
        <section aria-labelledby='its-form'>
          <Title order={2} size='h4' mb='sm' id='its-form'>Its form</Title>
          <Card withBorder>
            <FormPreview schema={row['targets_form.json_schema']} uiSchema={row['targets_form.ui_schema']} />
          </Card>
        </section>
      </SimpleGrid>
      <PortTable node={node} />
      <details>
        <summary>The definition as JSON</summary>
        <Code block mt='sm' tabIndex={0} aria-label='Definition'>
          {JSON.stringify(definitionOf(row), undefined, 2)}
        </Code>
      </details>
    </Page>
  );
}
