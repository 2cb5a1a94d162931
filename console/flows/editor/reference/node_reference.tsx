import { Anchor, Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { docsHref } from '../../../shared/docs_href.ts';
import type { DrawnNode, DrawnPort } from '../../../shared/graph/drawn_node.ts';
import { LazyMarkdown } from '../../../shared/markdown/lazy_markdown.tsx';
import { isNativeNode, nativeExample, nativeNotes } from '../../../shared/nodes/native_nodes.ts';

function Ports({ title, ports }: { title: string; ports: readonly (DrawnPort & { isRequired?: boolean })[] }) {
  if (ports.length === 0) return null;
  return (
    <div>
      <Text size='sm' fw={500}>{title}</Text>
      <dl className='editor-reference-ports'>
        {ports.map(({ id, name, types, description, isRequired }) => (
          <div key={id}>
            <dt>
              <strong>{name || 'named by its label'}</strong> {types.join(' or ')}
              {isRequired === true && ', required'}
            </dt>
            {description !== '' && <dd>{description}</dd>}
          </div>
        ))}
      </dl>
    </div>
  );
}

const Values = ({ title, values }: { title: string; values: { [name: string]: unknown } }) =>
  Object.keys(values).length === 0 ? null : (
    <div>
      <Text size='xs' c='dimmed'>{title}</Text>
      <Code block tabIndex={0}>
        {Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')}
      </Code>
    </div>
  );

function Example({ nodeId }: { nodeId: string }) {
  const { data: example } = useQuery({
    queryKey: ['nodes', 'example', nodeId],
    queryFn: async () => await nativeExample(nodeId) ?? null,
    staleTime: Infinity,
  });
  if (example === undefined || example === null) return null;
  return (
    <Stack gap={4}>
      <Text size='sm' fw={500}>Example</Text>
      <Text size='sm'>{example.says}</Text>
      <Values title='Form' values={example.form ?? {}} />
      <Values title='Inputs' values={example.inputs} />
      <Values title='Outputs' values={example.outputs} />
    </Stack>
  );
}

/**
 * Shows a link in the notes on a node. Links in notes are relative to the page `reference/nodes`, which contains the
 * notes.
 */
function noteLink(href: string, children: ReactNode): ReactNode {
  const { origin, pathname, hash } = new URL(href, 'https://docs.invalid/docs/reference/nodes.md');
  const path = pathname.replace(/^\/docs\//, '').replace(/\.md$/, '');
  const address = origin === 'https://docs.invalid' ? docsHref(path, hash.slice(1) || undefined) : undefined;
  return address === undefined
    ? <Anchor href={href} target='_blank' rel='noreferrer' inherit>{children}</Anchor>
    : <Anchor component={Link} href={address} target='_blank' inherit>{children}</Anchor>;
}

/** The rules and the errors of a node, behind a button. */
function Notes({ nodeId }: { nodeId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['nodes', 'notes', nodeId],
    queryFn: async () => await nativeNotes(nodeId) ?? null,
    enabled: isOpen,
    staleTime: Infinity,
  });
  return (
    <div>
      <Button
        variant='default'
        size='compact-xs'
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        Rules and errors
      </Button>
      {isOpen && data === null && <Text size='sm'>This node has no rules beyond its ports.</Text>}
      {isOpen && typeof data === 'string' && <LazyMarkdown text={data} renderLink={noteLink} />}
    </div>
  );
}

/** The anchor of a node on the page of all native nodes. */
const anchorOf = (nodeId: string): string => nodeId.startsWith('rhai_script_') ? 'rhai_script_nxm' : nodeId;

/** The reference of a node: its ports, an example with values, and a link to its page. */
export default function NodeReference({ node }: { node: DrawnNode }) {
  const isNative = isNativeNode(node.nodeId);
  return (
    <Stack gap='xs'>
      <Example nodeId={node.nodeId} />
      <Ports title='Inputs' ports={node.inputs} />
      <Ports title='Outputs' ports={node.outputs} />
      {isNative && <Notes key={node.nodeId} nodeId={node.nodeId} />}
      {isNative && (
        <Anchor component={Link} href={docsHref('reference/nodes', anchorOf(node.nodeId))} target='_blank' size='sm'>
          {node.nodeId} in the reference
        </Anchor>
      )}
    </Stack>
  );
}
