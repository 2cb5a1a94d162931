import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PendingInput, RunReference } from 'flow-deployments-client';
import { useApi } from '../api.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { objectAt } from '../graph/drawn_node.ts';
import { runKey } from '../use_run_events.ts';
import { ValueView } from '../value_view.tsx';
import { AnswerForm } from './answer_form.tsx';
import { AskedBy } from './asked_by.tsx';

/** Says who may answer, to a reader who may not. */
const WHO_ANSWERS: Record<string, string> = {
  owner: 'Only the owner of the flow may answer.',
  starter: 'Only the person who started the run may answer.',
  listed: 'Only the people whom the node lists may answer.',
};

/** The inputs of the run that the author of the flow shows to those who answer. */
function ShownInputs({ inputs }: { inputs: PendingInput['inputs'] }) {
  const entries = Object.entries(objectAt(inputs, 'M'));
  if (entries.length === 0) return null;
  return (
    <dl className='console-members' aria-label='Inputs of the run'>
      {entries.map(([name, value]) => (
        <div key={name}>
          <Text component='dt' size='sm' fw={600} c='inherit'>{name}</Text>
          <dd>{value === null ? <Text size='sm' c='dimmed'>too long to show</Text> : <ValueView value={value} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A pending input with its question, and the form for the answer. */
export function PendingInputAlert({ input, title = input.title ?? 'Your answer is needed', token }: {
  input: PendingInput;
  /** By default the title of the question. */
  title?: string | undefined;
  /** The token of the run, if the reader started it as a guest. */
  token?: string | undefined;
}) {
  return (
    <Alert color='yellow' title={title} role='group'>
      <Stack>
        {input.title !== null && input.title !== title && <Text fw={600} className='console-text'>{input.title}</Text>}
        {input.description !== null && <Text size='sm' className='console-text'>{input.description}</Text>}
        <ShownInputs inputs={input.inputs} />
        <AskedBy input={input} isGuest={token !== undefined} />
        {input.may_answer
          ? <AnswerForm input={input} token={token} />
          : <Text size='sm'>{WHO_ANSWERS[input.answered_by]}</Text>}
      </Stack>
    </Alert>
  );
}

const nameOf = (input: PendingInput, runId: string, titles: ReadonlyMap<string, string>): string =>
  titles.get(input.node_id) ?? (input.flow_run_id === runId ? 'A node' : 'A called flow');

interface PendingInputsProps {
  /** The run, or the started run with its token. */
  run: RunReference<object>;
  runId: string;
  /** The titles of the run's nodes, for its owner. Without them, each input has the title of its question. */
  titles?: ReadonlyMap<string, string>;
}

/** The inputs for which a run and its called runs wait. Shows nothing if they wait for no input. */
export function PendingInputs({ run, runId, titles }: PendingInputsProps) {
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
          title={titles && `${nameOf(input, runId, titles)} waits for an input`}
          token={typeof run === 'string' ? undefined : run.token}
        />
      ))}
    </>
  );
}
