import { Badge, Group } from '@mantine/core';

/** The tags of a deployment, `latest` first. */
export function TagBadges({ tags }: { tags: readonly string[] }) {
  const sorted = tags.toSorted((a, b) => Number(b === 'latest') - Number(a === 'latest') || a.localeCompare(b));
  return (
    <Group gap={4}>
      {sorted.map((tag) => (
        <Badge key={tag} variant={tag === 'latest' ? 'light' : 'default'} tt='none' maw={240}>{tag}</Badge>
      ))}
    </Group>
  );
}
