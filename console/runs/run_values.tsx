import { Button, CopyButton, SimpleGrid, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { objectAt } from '../shared/graph/drawn_node.ts';
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

/** Values by name. */
const Values = ({ value }: { value: unknown }) =>
  Object.keys(objectAt(value, 'M')).length === 0 ? <Text size='sm' c='dimmed'>none</Text> : <ValueView value={value} />;

/** The output of a run, its inputs, and what its models cost. */
export function RunValues({ run }: { run: RunRow }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title='Output' aside={run.output !== null && <CopyJson value={run.output} />}>
          {run.output === null
            ? <Text size='sm' c='dimmed'>{run.end_time === null ? 'It comes at the end.' : 'none'}</Text>
            : <Values value={run.output} />}
        </Section>
        <Section title='Inputs' aside={<CopyJson value={run.inputs} />}>
          <Values value={run.inputs} />
        </Section>
      </SimpleGrid>
      <RunUsage usage={run.usage} />
    </>
  );
}
