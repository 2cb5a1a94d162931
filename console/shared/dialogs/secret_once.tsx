import { Button, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core';

/** Shows a secret that can't be shown again. */
export const SecretOnce = ({ label, secret, onDone }: { label: string; secret: string; onDone: () => void }) => (
  <Stack>
    <Text role='status'>It is shown this once. Copy it now.</Text>
    <TextInput label={label} value={secret} readOnly onFocus={(event) => event.currentTarget.select()} data-autofocus />
    <Group justify='flex-end'>
      <CopyButton value={secret}>
        {({ copied, copy }) => <Button variant='default' onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
      </CopyButton>
      <Button onClick={onDone}>Done</Button>
    </Group>
  </Stack>
);
