import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { isDescribedType } from '../../../../types/described/types.ts';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { Loading } from '../../../shared/page/loading.tsx';
import { drawnNode } from '../view.ts';

// These parts are loaded when they are shown, so that the editor's first load stays small.
const DescribedRequest = lazy(() => import('./described_request.tsx'));
const NodeReference = lazy(() => import('../reference/node_reference.tsx'));

/** Shows the documentation in a node's definition. */
export function Documentation({ json }: { json: PlainObject }) {
  const node = drawnNode(json);
  const address = objectAt(json, 'data', 'resources').documentation_url;
  const isLink = typeof address === 'string' && address.startsWith('https://');
  return (
    <Stack gap={4}>
      <Group gap='xs'>
        <Badge variant='default' tt='none'>{node.nodeId}</Badge>
        {isDescribedType(node.kind) ? <Badge variant='light' tt='none'>{node.kind}</Badge> : node.kind !== 'native' &&
          <Badge color='orange' variant='light' tt='none'>{node.kind}: not executed</Badge>}
      </Group>
      {isDescribedType(node.kind) && (
        <Suspense>
          <DescribedRequest json={json} />
        </Suspense>
      )}
      {node.description !== '' && <Text size='sm'>{node.description}</Text>}
      {isLink && <Anchor href={address} target='_blank' rel='noreferrer' size='sm'>Documentation</Anchor>}
    </Stack>
  );
}

/** The reference of the node. It is loaded when it comes into view. */
export function Reference({ json }: { json: PlainObject }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true);
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <Stack gap='xs' ref={place}>
      <Title order={3} size='h5'>Reference</Title>
      {isSeen && (
        <Suspense fallback={<Loading label='Loading the reference' />}>
          <NodeReference node={drawnNode(json)} />
        </Suspense>
      )}
    </Stack>
  );
}
