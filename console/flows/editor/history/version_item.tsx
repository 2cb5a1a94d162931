import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { When } from '../../../shared/time/when.tsx';
import type { Saving } from '../use_saving.ts';
import { DeleteQuestion, NameField, RestoreQuestion } from './version_actions.tsx';
import { VersionComparison } from './version_comparison.tsx';
import type { Version } from './versions.ts';

type Action = 'Compare' | 'Restore' | 'Rename' | 'Delete';

const ACTIONS: Action[] = ['Compare', 'Restore', 'Rename', 'Delete'];

/** A version in the list: its name, its time, and its deployment with the tags. */
const Facts = ({ version: { name, saved_at, is_current, deployment_id, tags } }: { version: Version }) => (
  <Group gap='xs'>
    <Text span size='sm' fw={600} className='console-text'>{name ?? 'Automatic'}</Text>
    <Text span size='sm'>
      <When at={saved_at} />
    </Text>
    {is_current && <Badge variant='light' color='teal' tt='none'>saved now</Badge>}
    {tags.map((tag) => <Badge key={tag} variant='light' tt='none' maw={240}>{tag}</Badge>)}
    {deployment_id !== null && (
      <Anchor component={Link} href={`/deployments/${deployment_id}`} size='sm'>Deployment</Anchor>
    )}
  </Group>
);

/** A version with its actions. At most one action is open. */
export function VersionItem({ version, saving, onRestored }: {
  version: Version;
  saving: Saving;
  onRestored: () => void;
}) {
  const [open, setOpen] = useState<Action>();
  const close = () => setOpen(undefined);
  const label = version.name ?? 'the automatic version';
  const contents: Record<Action, () => ReactNode> = {
    Compare: () => <VersionComparison version={version} />,
    Restore: () => <RestoreQuestion version={version} saving={saving} onDone={onRestored} onCancel={close} />,
    Rename: () => <NameField version={version} onDone={close} />,
    Delete: () => <DeleteQuestion version={version} onCancel={close} />,
  };
  return (
    <Stack component='li' gap='xs' py={6}>
      <Group justify='space-between' gap='xs'>
        <Facts version={version} />
        <Group gap={4} ml='auto'>
          {ACTIONS.map((action) => (
            <Button
              key={action}
              size='compact-xs'
              variant={action === open ? 'light' : 'subtle'}
              aria-expanded={action === open}
              aria-label={`${action} ${label}`}
              onClick={() => setOpen(action === open ? undefined : action)}
            >
              {action}
            </Button>
          ))}
        </Group>
      </Group>
      {open !== undefined && contents[open]()}
    </Stack>
  );
}
