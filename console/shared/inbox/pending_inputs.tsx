import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PendingInput, RunReference } from 'flow-deployments-client';
import { useApi } from '../api.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { runKey } from '../use_run_events.ts';
import { When } from '../time/when.tsx';
import { AnswerForm } from './answer_form.tsx';

const NO_TITLES: ReadonlyMap<string, string> = new Map();

/** A pending input with its question, and the form for the answer. */
export function PendingInputAlert({ input, title }: { input: PendingInput; title: string }) {
  return (
    <Alert color='yellow' title={title} role='group'>
      <Stack>
        {input.title !== null && <Text fw={600} className='console-text'>{input.title}</Text>}
        {input.description !== null && <Text size='sm' className='console-text console-lines'>{input.description}
        </Text>}
        <Text size='sm'>
          The node fails <When at={input.expires_at} /> if nobody answers.
        </Text>
        <AnswerForm input={input} />
      </Stack>
    </Alert>
  );
}

const nameOf = (input: PendingInput, runId: string, titles: ReadonlyMap<string, string>): string =>
  titles.get(input.node_id) ?? (input.flow_run_id === runId ? 'The run' : 'A called flow');

interface PendingInputsProps {
  /** The run, or the started run with its token. */
  run: RunReference<object>;
  runId: string;
  titles?: ReadonlyMap<string, string>;
}

/** The inputs for which a run and its called runs wait. Shows nothing if they wait for no input. */
export function PendingInputs({ run, runId, titles = NO_TITLES }: PendingInputsProps) {
  const { flows } = useApi();
  const { data: inputs = [], error } = useQuery({
    queryKey: [...runKey(runId), 'pending inputs'],
    queryFn: ({ signal }) => flows.pendingInputs(run, { signal }),
  });
  return (
    <>
      <ErrorAlert error={error} />
      {inputs.map((input) => (
        <PendingInputAlert
          key={input.id}
          input={input}
          title={`${nameOf(input, runId, titles)} waits for an input`}
        />
      ))}
    </>
  );
}
