import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';

/** The most characters that are shown at first. */
const SHOWN = 2_000;

/** A text of a stranger, as plain text. A long one is cut until the user wants to see all of it. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  return (
    <Stack gap={4} align='flex-start'>
      <Text size='sm' className='console-text'>{isLong && !isWhole ? `${text.slice(0, SHOWN)}…` : text}</Text>
      {isLong && (
        <Button size='compact-xs' variant='default' aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </Button>
      )}
    </Stack>
  );
}
