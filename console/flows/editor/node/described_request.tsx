import { Badge, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { implementationLine } from '../../../../types/described/implementation_line.ts';
import { useApi } from '../../../shared/api.tsx';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { effectName } from '../../../shared/nodes/effect_names.ts';

/** Shows what a described node does, such as its method and address or its instruction, and its effects. */
export default function DescribedRequest({ json }: { json: PlainObject }) {
  const { db } = useApi();
  const { type, node_id, version, targets_form } = objectAt(json, 'data');
  const { data: definition } = useQuery({
    queryKey: ['nodes', 'described', type, node_id, version],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('nodes').select('data').eq('type', String(type)).eq('node_id', String(node_id))
        .eq('version', String(version)).order('is_public').limit(1).abortSignal(signal).throwOnError();
      return data[0] ?? null;
    },
  });
  if (definition === undefined) return null;
  if (definition === null) return <Text size='sm' c='red'>There is no definition of this node, so it can’t run.</Text>;
  const { effects, implementation } = objectAt(definition, 'data');
  const effect = effectName(effects);
  return (
    <Group gap='xs'>
      <Code className='console-text'>
        {implementationLine(String(type), implementation, objectAt(targets_form, 'form_data'))}
      </Code>
      {effect !== undefined && <Badge variant='default' tt='none'>{effect}</Badge>}
    </Group>
  );
}
