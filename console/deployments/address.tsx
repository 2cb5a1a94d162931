import { ActionIcon, Anchor, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { Icon } from '../shared/icon.tsx';

/** An address with a button to copy it. */
export function Address({ label, address, isPage = false }: { label: string; address: string; isPage?: boolean }) {
  return (
    <Stack gap={2}>
      <Text size='sm' fw={600}>{label}</Text>
      <Group gap='xs' wrap='nowrap'>
        {isPage
          ? <Anchor href={address} size='sm' className='console-text'>{address}</Anchor>
          : <Code className='console-text'>{address}</Code>}
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <ActionIcon variant='default' aria-label={`Copy: ${label}`} onClick={copy}>
              <Icon name={copied ? 'check' : 'copy'} size={16} />
            </ActionIcon>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
