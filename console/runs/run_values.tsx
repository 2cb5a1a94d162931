import { Button, CopyButton, SimpleGrid, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { Section } from '../shared/page/section.tsx';
import { ValueView } from '../shared/value_view.tsx';
import { toPlainJson } from './plain_json.ts';
import { RunUsage } from './run_usage.tsx';

/** A button that copies a value as plain JSON. */
const CopyJson = ({ value }: { value: unknown }) => (
  <CopyButton value={JSON.stringify(toPlainJson(value), undefined, 2)}>
    {({ copied, copy }) => (
      <Button variant='default' size='xs' onClick={copy}>{copied ? 'Copied' : 'Copy as JSON'}</Button>
    )}
  </CopyButton>
);

/** The output of a run, its inputs, and what its models cost. */
export function RunValues({ run }: { run: RunRow }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title='Output' aside={run.output !== null && <CopyJson value={run.output} />}>
          {run.output === null
            ? <Text c='dimmed'>{run.end_time === null ? 'It comes at the end.' : 'none'}</Text>
            : <ValueView value={run.output} />}
        </Section>
        <Section title='Inputs' aside={<CopyJson value={run.inputs} />}>
          <ValueView value={run.inputs} />
        </Section>
      </SimpleGrid>
      <RunUsage usage={run.usage} />
    </>
  );
}
