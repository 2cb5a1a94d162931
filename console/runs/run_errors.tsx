import { Alert, Anchor, Button, Code, Group, List, Text } from '@mantine/core';
import { useState } from 'react';
import { readRunError, type RunError } from '../shared/errors/run_error.ts';

/** The number of lines that are shown at first. */
const SHOWN = 10;

interface RunErrorsProps {
  lines: readonly string[];
  titles: ReadonlyMap<string, string>;
  /** The names of the inputs of each node. */
  inputs: ReadonlyMap<string, ReadonlySet<string>>;
  /** Selects a node on the graph. */
  onSelect: (nodeId: string) => void;
}

function ErrorPlace({ error: { nodeId, times }, titles, onSelect }: {
  error: RunError;
  titles: RunErrorsProps['titles'];
  onSelect: RunErrorsProps['onSelect'];
}) {
  if (nodeId === undefined) return null;
  const title = `${titles.get(nodeId) ?? nodeId}${times > 0 ? ` #${times}` : ''}`;
  return (
    <Anchor
      component='button'
      type='button'
      size='sm'
      fw={600}
      ta='left'
      c='inherit'
      underline='always'
      onClick={() => onSelect(nodeId)}
    >
      {title}
    </Anchor>
  );
}

/** The errors of a run, each with its node, code and message. */
export function RunErrors({ lines, titles, inputs, onSelect }: RunErrorsProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, SHOWN);
  return (
    <Alert color='red' role='alert' title={lines.length === 1 ? 'What failed' : `What failed: ${lines.length} errors`}>
      <List listStyleType='none' spacing='xs'>
        {shown.map((line, index) => {
          const error = readRunError(line, inputs);
          return (
            <List.Item key={index}>
              <Group gap='xs'>
                <ErrorPlace error={error} titles={titles} onSelect={onSelect} />
                {error.code !== undefined && <Code>{error.code}</Code>}
              </Group>
              <Text size='sm' className='console-text'>{error.message}</Text>
            </List.Item>
          );
        })}
      </List>
      {lines.length > shown.length && (
        <Button
          size='xs'
          variant='default'
          mt='sm'
          onClick={() => setWhole(true)}
        >
          Show {lines.length - shown.length} more
        </Button>
      )}
    </Alert>
  );
}
