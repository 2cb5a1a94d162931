import { Badge, Group } from '@mantine/core';
import { Link } from 'wouter';

/** The tags of a flow's deployments. Each leads to the deployment that has it. */
export const TagLinks = ({ tags }: { tags: readonly { tag: string; deployment_id: string }[] }) => (
  <Group gap={4}>
    {tags.map(({ tag, deployment_id }) => (
      <Badge
        key={tag}
        component={Link}
        href={`/deployments/${deployment_id}`}
        variant={tag === 'latest' ? 'light' : 'default'}
        tt='none'
        maw={160}
        style={{ cursor: 'pointer' }}
      >
        {tag}
      </Badge>
    ))}
  </Group>
);
