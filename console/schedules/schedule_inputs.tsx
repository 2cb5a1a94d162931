import { Alert, Button, Fieldset, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { type DeploymentInput, FlowError } from 'flow-deployments-client';
import { useMemo, useState } from 'react';
import { JsonEditor } from '../shared/code/json_editor.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { inputsForm } from '../shared/form/inputs_schema.ts';
import { SchemaForm } from '../shared/form/schema_form.tsx';
import { focusUnreadable, type UnreadableTexts } from '../shared/form/unreadable_texts.ts';
import { Loading } from '../shared/page/loading.tsx';
import type { useTargetDescription } from '../shared/targets/start_target.ts';
import { asForm, asJson, inForm, type InputsDraft } from './schedule.ts';

interface DraftProps<Kind> {
  draft: Extract<InputsDraft, { kind: Kind }>;
  change: (draft: InputsDraft) => void;
}

/**
 * A warning about values for unknown inputs. If the deployment does not have an input that a value names, each start
 * fails.
 */
function UnknownNames({ draft, taken, change }: DraftProps<'form'> & { taken: readonly DeploymentInput[] }) {
  const known = new Set(taken.map(({ name }) => name));
  const unknown = Object.keys({ ...draft.values, ...draft.inputs }).filter((name) => !known.has(name));
  if (unknown.length === 0) return null;
  const without = (values: object) => Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));
  return (
    <Alert color='yellow' title='The deployment does not have all these inputs'>
      <Stack gap='xs' align='flex-start'>
        <Text size='sm' className='console-text'>
          It has no inputs with these names, so its starts would be refused: {unknown.join(', ')}
        </Text>
        <Button
          size='xs'
          variant='default'
          onClick={() => change({ kind: 'form', values: without(draft.values), inputs: without(draft.inputs) })}
        >
          Leave them out
        </Button>
      </Stack>
    </Alert>
  );
}

interface InputsAsFormProps extends DraftProps<'form'> {
  taken: readonly DeploymentInput[];
  unreadable: UnreadableTexts;
}

function InputsAsForm({ draft, taken, change, unreadable }: InputsAsFormProps) {
  const asked = useMemo(() => inForm(taken, draft.inputs), [taken, draft.inputs]);
  const form = useMemo(() => inputsForm(asked), [asked]);
  const tagged = Object.keys(draft.inputs);
  return (
    <Stack>
      {taken.length === 0 && <Text c='dimmed'>It takes no inputs.</Text>}
      {asked.length > 0 && (
        <SchemaForm
          idPrefix='schedule'
          {...form}
          value={draft.values}
          unreadable={unreadable}
          // SAFETY: the form library returns an object for a schema of an object.
          onChange={(values) => change({ ...draft, values: values as typeof draft.values })}
        />
      )}
      {tagged.length > 0 && (
        <Text size='sm' c='dimmed' className='console-text'>Given as tagged values, see JSON: {tagged.join(', ')}</Text>
      )}
      <UnknownNames draft={draft} taken={taken} change={change} />
    </Stack>
  );
}

const InputsAsJson = ({ draft, change }: DraftProps<'JSON'>) => (
  <Stack>
    <Stack gap={4}>
      <Text size='sm'>
        Plain values, such as {'{"amount": 1.5, "to": "you"}'}: each start makes of them what the deployment takes.
      </Text>
      <JsonEditor
        label='Values'
        value={draft.values}
        onChange={(values) => change({ ...draft, values })}
      />
    </Stack>
    <Stack gap={4}>
      <Text size='sm'>Further inputs with their tags, such as {'{"amount": {"D": "1.5"}}'}.</Text>
      <JsonEditor
        label='Tagged inputs'
        value={draft.inputs}
        onChange={(inputs) => change({ ...draft, inputs })}
      />
    </Stack>
  </Stack>
);

/** Explains why there is no form. */
const NotDescribed = ({ error }: { error: unknown }) =>
  error instanceof FlowError && error.status === 404
    ? (
      <Alert color='yellow' title='There is no such deployment yet'>
        Deploy the flow first, or name a tag of one of its deployments. Then its inputs are shown.
      </Alert>
    )
    : <ErrorAlert error={error} />;

interface ScheduleInputsProps {
  draft: InputsDraft;
  change: (draft: InputsDraft) => void;
  /** The description of the present target. */
  description: ReturnType<typeof useTargetDescription>;
  /** The texts of the form that can not be read. */
  unreadable: UnreadableTexts;
}

/**
 * The inputs of each start. The user fills in a form or writes JSON. If the inputs of the target are not known, the
 * user can only write JSON.
 */
export function ScheduleInputs({ draft, change, description, unreadable }: ScheduleInputsProps) {
  const [error, setError] = useState<unknown>();
  const { data, isLoading } = description;
  const choose = (kind: string) => {
    setError(undefined);
    if (focusUnreadable(unreadable)) return;
    try {
      change(kind === 'JSON' ? asJson(draft) : asForm(draft, data?.inputs ?? []));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Fieldset legend='Inputs'>
      <Stack>
        <Group>
          <SegmentedControl
            size='xs'
            aria-label='Inputs are given as'
            data={[{ value: 'form', label: 'Form' }, 'JSON']}
            value={draft.kind}
            onChange={choose}
          />
        </Group>
        <ErrorAlert error={error} />
        {draft.kind === 'JSON' && <InputsAsJson draft={draft} change={change} />}
        {draft.kind === 'form' && isLoading && <Loading label='Reading what the deployment takes' />}
        {draft.kind === 'form' && !isLoading && data === undefined && (
          description.error === null
            ? <Text size='sm' c='dimmed'>Choose first the flow or deployment that it starts.</Text>
            : <NotDescribed error={description.error} />
        )}
        {draft.kind === 'form' && data !== undefined && (
          <InputsAsForm
            key={data.deployment_id}
            draft={draft}
            taken={data.inputs}
            change={change}
            unreadable={unreadable}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
