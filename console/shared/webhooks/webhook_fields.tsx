import { Autocomplete, Stack, TagsInput, Text } from '@mantine/core';
import { type StartTarget, useTargetDescription } from '../targets/start_target.ts';
import { TargetFields } from '../targets/target_fields.tsx';
import { flowLimits } from '../../../types/limits/flows.ts';
import { requestLimits } from '../../../types/limits/requests.ts';

/** The target of a webhook and the input that gets the body, in the form. */
export interface WebhookDraft extends StartTarget {
  input: string;
  headers: string[];
}

/** The most headers that the database accepts. */
const MAX_HEADERS = requestLimits.forwarded_headers.value;

export interface WebhookFieldsProps {
  draft: WebhookDraft;
  change: (draft: WebhookDraft) => void;
}

export function WebhookFields({ draft, change }: WebhookFieldsProps) {
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
          value={draft.input}
          onChange={(input) => change({ ...draft, input })}
        />
        <Text size='sm' role='status' className='console-text'>
          {isUnknown &&
            `The deployment has no such input, so requests would be refused. It has: ${names.join(', ') || 'none'}.`}
        </Text>
      </Stack>
      <TagsInput
        label='Headers'
        description='Headers of the request that the input gets, too. The input is then {body, headers}. Press Enter after each name.'
        placeholder={draft.headers.length === 0 ? 'x-github-event' : undefined}
        maxTags={MAX_HEADERS}
        acceptValueOnBlur
        splitChars={[',', ' ']}
        value={draft.headers}
        onChange={(headers) => change({ ...draft, headers })}
      />
    </>
  );
}
