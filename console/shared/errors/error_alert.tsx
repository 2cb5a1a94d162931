import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { FoldedLines } from './folded_lines.tsx';
import { showError } from './shown_error.ts';

/** Shows an error with its code, hint and details; nothing without an error. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === undefined || error === null) return null;
  const { message, code, hint, details, raw } = showError(error);
  return (
    <Alert color='red' role='alert' title={message} classNames={{ title: 'console-error-title' }}>
      <Stack gap='xs'>
        {details.length > 0 && (
          <List size='sm' className='console-text'>
            {details.map((line, index) => <List.Item key={index}>{line}</List.Item>)}
          </List>
        )}
        {hint !== undefined && <Text size='sm'>{hint}</Text>}
        <FoldedLines title='Details' lines={raw} />
        <Group justify='space-between'>
          {code !== undefined && <Code>{code}</Code>}
          {onRetry !== undefined && <Button size='xs' variant='default' onClick={onRetry}>Try again</Button>}
        </Group>
      </Stack>
    </Alert>
  );
}
