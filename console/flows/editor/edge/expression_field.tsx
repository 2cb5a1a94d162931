import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Value } from 'flow-deployments-client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CodeEditor } from '../../../shared/code/code_editor.tsx';
import { codeExtensions } from '../../../shared/code/code_extensions.ts';
import { askPreview } from '../../../shared/code/preview.ts';
import { JsonView } from '../../../shared/json_view.tsx';
import { plainOf } from '../../../shared/plain_json.ts';
import { namesAt } from './edge_expression.ts';

/** The pause in typing after which the result is computed. */
const PAUSE_MS = 300;

/** The result of the expression for the value of the last run. */
function Preview({ expression, value, types }: { expression: string; value: Value; types: readonly string[] }) {
  const [settled] = useDebouncedValue(expression, PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['flows', 'expression', settled, types, value],
    queryFn: () => askPreview({ expression: settled, value, types }),
    enabled: settled.trim() !== '',
    gcTime: 10_000,
  });
  return (
    <div role='status' aria-label='Preview'>
      {data === undefined || settled.trim() === ''
        ? null
        : 'error' in data
        ? <Text size='sm' c='var(--mantine-color-error)' className='console-text'>{data.error}</Text>
        : data.value === undefined
        ? <Text size='sm' c='dimmed'>The expression has no result: the input gets no value.</Text>
        : <JsonView title='Result' value={data.value} />}
    </div>
  );
}

export interface ExpressionFieldProps {
  expression: string;
  onChange: (expression: string) => void;
  /** The value of the edge's output in the last run. */
  value: Value | undefined;
  /** The types of the input at the end of the edge. */
  types: readonly string[];
  readOnly: boolean;
}

/** The expression of an edge, with completion from the last run's value, and its result. */
export default function ExpressionField({ expression, onChange, value, types, readOnly }: ExpressionFieldProps) {
  const plain = useMemo(() => plainOf(value), [value]);
  const latest = useRef(plain);
  useEffect(() => {
    latest.current = plain;
  }, [plain]);
  const [extension] = useState(() => codeExtensions('jsonata', (path) => namesAt(latest.current, path)));
  return (
    <Stack gap='xs'>
      <Text size='sm' fw={500}>Expression</Text>
      <Text size='xs' c='dimmed'>
        Written in JSONata, such as order.price. It computes the value of the input from the value of the output.
        Without an expression, the input gets the value of the output itself.
      </Text>
      <CodeEditor
        label='Expression'
        value={expression}
        onChange={onChange}
        extension={extension}
        readOnly={readOnly}
        minHeight='4rem'
      />
      {value === undefined ? <Text size='sm' c='dimmed'>Run the flow to see the result here.</Text> : (
        <>
          <Preview expression={expression} value={value} types={types} />
          <JsonView title='Value in the last run' value={value} />
        </>
      )}
    </Stack>
  );
}
