import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { CopyIcon } from './copy_icon.tsx';

interface AddressProps {
  label: string;
  address: string;
  /** True for a link to a page. */
  isPage?: boolean;
  /** True if the label is beside the address, not above it. */
  isInLine?: boolean;
}

/** An address with a button to copy it. */
export function Address({ label, address, isPage = false, isInLine = false }: AddressProps) {
  const Container = isInLine ? Group : Stack;
  return (
    <Container gap={isInLine ? 'xs' : 2}>
      <Text size='sm' fw={600}>{label}</Text>
      <Group gap='xs' wrap='nowrap'>
        {isPage
          ? <Anchor href={address} size='sm' className='console-text'>{address}</Anchor>
          : <Code className='console-text'>{address}</Code>}
        <CopyIcon label={label} value={address} />
      </Group>
    </Container>
  );
}
