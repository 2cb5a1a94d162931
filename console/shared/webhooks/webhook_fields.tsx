import { Autocomplete, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { type StartTarget, useTargetDescription } from '../targets/start_target.ts';
import { useFault } from '../errors/field_faults.tsx';
import { TargetFields } from '../targets/target_fields.tsx';
import { flowLimits } from '../../../types/limits/flows.ts';
import { requestLimits } from '../../../types/limits/requests.ts';

/** The target of a webhook, the input that gets the request, and the kind of answer, in the form. */
export interface WebhookDraft extends StartTarget {
  input: string;
  headers: string[];
  whole_request: boolean;
  respond: boolean;
}

/** The most headers that the database accepts. */
const MAX_HEADERS = requestLimits.forwarded_headers.value;
const ANSWER_SECONDS = requestLimits.start_wait_seconds.value;

interface WebhookFieldsProps {
  draft: WebhookDraft;
  change: (draft: WebhookDraft) => void;
}

export function WebhookFields({ draft, change }: WebhookFieldsProps) {
  const fault = useFault();
  const { data } = useTargetDescription(draft);
  const names = data?.inputs.map(({ name }) => name) ?? [];
  const isUnknown = data !== undefined && draft.input !== '' && !names.includes(draft.input);
  return (
    <>
      <TargetFields target={draft} change={(target) => change({ ...draft, ...target })} />
      <Stack gap={4}>
        <Autocomplete
          label='Input'
          description='The input of the flow that gets the JSON of the request.'
          data={names}
          required
          maxLength={flowLimits.port_name_characters.value}
          error={fault('input')}
          value={draft.input}
          onChange={(input) => change({ ...draft, input })}
        />
        <Text size='sm' role='status' className='console-text'>
          {isUnknown &&
            `The deployment has no such input, so requests would be refused. It has: ${names.join(', ') || 'none'}.`}
        </Text>
      </Stack>
      <Switch
        label='The input gets the whole request'
        description='It is then {body, headers, query, method}, without credentials and signatures.'
        checked={draft.whole_request}
        onChange={(event) => change({ ...draft, whole_request: event.currentTarget.checked, headers: [] })}
      />
      {!draft.whole_request && (
        <TagsInput
          label='Headers'
          description='Headers of the request that the input gets, too. The input is then {body, headers}. Press Enter after each name.'
          placeholder={draft.headers.length === 0 ? 'x-github-event' : undefined}
          maxTags={MAX_HEADERS}
          acceptValueOnBlur
          splitChars={[',', ' ']}
          error={fault('headers')}
          value={draft.headers}
          onChange={(headers) => change({ ...draft, headers })}
        />
      )}
      <Switch
        label='The sender gets the output'
        description={`A request waits up to ${ANSWER_SECONDS} s for the run. An output named response sets status, headers and body of the answer.`}
        checked={draft.respond}
        onChange={(event) => change({ ...draft, respond: event.currentTarget.checked })}
      />
    </>
  );
}
