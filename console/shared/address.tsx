import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { CopyIcon } from './copy_icon.tsx';

/** An address with a button to copy it. */
export function Address({ label, address, isPage = false }: { label: string; address: string; isPage?: boolean }) {
  return (
    <Stack gap={2}>
      <Text size='sm' fw={600}>{label}</Text>
      <Group gap='xs' wrap='nowrap'>
        {isPage
          ? <Anchor href={address} size='sm' className='console-text'>{address}</Anchor>
          : <Code className='console-text'>{address}</Code>}
        <CopyIcon label={label} value={address} />
      </Group>
    </Stack>
  );
}
