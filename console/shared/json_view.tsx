import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { plainText } from './plain_json.ts';

/** The most characters that are shown. The button copies all characters. */
const SHOWN = 20_000;

/** Shows a tagged value as plain JSON, with a button that copies it. */
export function JsonView({ title, value }: { title: string; value: unknown }) {
  const text = useMemo(() => plainText(value), [value]);
  return (
    <div role='group' aria-label={title}>
      <Group justify='space-between' gap='xs' wrap='nowrap'>
        <Text size='sm' fw={600}>{title}</Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size='compact-xs' variant='default' aria-label={`Copy ${title} as JSON`} onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block className='console-json' tabIndex={0}>
        {text.length > SHOWN ? `${text.slice(0, SHOWN)}…\n(${text.length} characters)` : text}
      </Code>
    </div>
  );
}
