import { Anchor, Badge, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { TranscriptLink } from './agent/transcript_link.tsx';
import { ValueView } from '../shared/value_view.tsx';
import { When } from '../shared/time/when.tsx';
import { describeDuration, msBetween } from '../shared/run/duration.ts';
import { stateOf } from '../shared/run/node_states.ts';
import { splitCode } from '../shared/errors/run_error.ts';
import type { ShownExecution } from '../shared/run/use_live_run.ts';

const COLOURS: Record<string, string> = {
  succeeded: 'teal',
  handled: 'orange',
  failed: 'red',
  running: 'blue',
  waiting: 'yellow',
};
/** The most executions of one node in the list of choices. */
const CHOICES = 500;

/** The errors of a node. Each error begins with its code. */
function ExecutionErrors({ errors, inputs }: Pick<ExecutionPanelProps, 'inputs'> & { errors: readonly string[] }) {
  return errors.map((line, index) => {
    const { code, message } = splitCode(line, inputs);
    return <ErrorAlert key={index} error={{ code, message }} />;
  });
}

function Values({ runId, execution }: { runId: string; execution: ShownExecution }) {
  const { db } = useApi();
  const { node_id, times, end_time } = execution;
  const { data, error } = useQuery({
    queryKey: ['runs', 'values', runId, node_id, times, end_time],
    queryFn: async ({ signal }) => {
      const { data: values } = await db.from('node_run').select('input, output')
        .match({ flow_run_id: runId, node_id, times }).abortSignal(signal).maybeSingle().throwOnError();
      return values;
    },
  });
  if (data === undefined || data === null) return <ErrorAlert error={error} />;
  return (
    <>
      <Title order={4} size='h6'>Input</Title>
      <ValueView value={data.input} />
      <Title order={4} size='h6'>Output</Title>
      {data.output === null ? <Text size='sm' c='dimmed'>none</Text> : <ValueView value={data.output} />}
    </>
  );
}

interface ExecutionPanelProps {
  runId: string;
  title: string;
  /** The names of the node's inputs; undefined for a node that is not on the graph. */
  inputs: ReadonlySet<string> | undefined;
  /** True for a node `ai_agent`. */
  isAgent: boolean;
  /** The executions of one node. */
  executions: readonly ShownExecution[];
  /** If the node did not run because of failures, the titles of the failed nodes by their ids. */
  failedBefore: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
  hasEnded: boolean;
}

/** Says why a node has no execution. */
function WhyNotRun(
  { failedBefore, onSelect, hasEnded }: Pick<ExecutionPanelProps, 'failedBefore' | 'onSelect' | 'hasEnded'>,
) {
  if (!hasEnded) return <Text size='sm' c='dimmed'>It has not begun.</Text>;
  return (
    <Text size='sm' c='dimmed'>
      It did not run{failedBefore.size > 0 ? ', because these nodes failed:' : '.'}
      {[...failedBefore].map(([id, title]) => (
        <Anchor
          key={id}
          component='button'
          type='button'
          size='sm'
          ml={4}
          underline='always'
          onClick={() => onSelect(id)}
        >
          {title}
        </Anchor>
      ))}
    </Text>
  );
}

/** The inputs and outputs of a node's execution, and its errors if it failed. */
export function ExecutionPanel(props: ExecutionPanelProps) {
  const { runId, title, inputs, isAgent, executions, hasEnded } = props;
  const failed = executions.find((one) => stateOf(one, hasEnded) === 'failed');
  const [chosen, setChosen] = useState<number>();
  const execution = executions.find(({ times }) => times === chosen) ?? failed ?? executions[0];
  return (
    <Paper component='section' aria-label='Node' withBorder p='md' className='runs-panel'>
      <Stack gap='sm'>
        <Title order={3} size='h5' className='console-text'>{title}</Title>
        {execution === undefined ? <WhyNotRun {...props} /> : (
          <>
            {executions.length > 1 && (
              <Select
                label='Execution'
                data={executions.slice(0, CHOICES).map(({ times, errors, error_handled }) => ({
                  value: String(times),
                  label: `#${times}${errors === null ? '' : error_handled ? ', handled' : ', failed'}`,
                }))}
                value={String(execution.times)}
                allowDeselect={false}
                searchable
                onChange={(times) => setChosen(Number(times))}
              />
            )}
            <Group gap='xs'>
              <Badge
                variant='light'
                className='console-status'
                color={COLOURS[stateOf(execution, hasEnded)] ?? 'gray'}
              >
                {stateOf(execution, hasEnded)}
              </Badge>
              <Text size='sm' c='dimmed'>
                <When at={execution.start_time} />
                {execution.end_time !== null &&
                  `, ${describeDuration(msBetween(execution.start_time, execution.end_time) ?? 0)}`}
              </Text>
            </Group>
            {isAgent && <TranscriptLink runId={runId} nodeId={execution.node_id} times={execution.times} />}
            {execution.is_taken_over && (
              <Text size='sm'>This execution was taken over from the run that this run redrives.</Text>
            )}
            {execution.answered_at !== null && (
              <Text size='sm' className='console-text'>
                Answered by {execution.answered_by ?? 'somebody with the link'} <When at={execution.answered_at} />
              </Text>
            )}
            {(execution.attempt > 1 || execution.retry_at !== null) && (
              <Text size='sm'>
                Attempt {execution.attempt}
                {execution.retry_at !== null && (
                  <>
                    {' '}failed; the next begins <When at={execution.retry_at} />
                  </>
                )}
              </Text>
            )}
            {execution.error_handled && (
              <Text size='sm'>The flow handles this failure: it went to the output error.</Text>
            )}
            {execution.errors !== null && <ExecutionErrors errors={execution.errors} inputs={inputs} />}
            <Values runId={runId} execution={execution} />
          </>
        )}
      </Stack>
    </Paper>
  );
}
