import { NativeSelect, Stack, TagsInput } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { type ANSWERED_BY, isEmail } from '../../../../types/answer_schema.ts';
import { nodeLimits } from '../../../../types/limits/nodes.ts';

const LISTED = 'listed';
const LABELS: Record<typeof ANSWERED_BY[number] | typeof LISTED, string> = {
  owner: 'Only you, the owner of the flow',
  starter: 'Whoever started the run',
  [LISTED]: 'People with these e-mail addresses',
  anyone_with_the_link: 'Anyone with the link',
};

const EXPLAINED: Record<string, string> = {
  starter: 'Whoever starts the flow then approves their own start.',
  [LISTED]: 'They sign in, and find the question in their inbox.',
  anyone_with_the_link: 'The starter sees the link, too.',
};

/** The field that chooses who may answer. A node without a choice lets anyone with the link answer. */
export function AnsweredByField({ formData, onChange, fieldPathId, disabled }: FieldProps) {
  const emails = Array.isArray(formData) ? formData.filter((item): item is string => typeof item === 'string') : [];
  const choice = Array.isArray(formData) ? LISTED : typeof formData === 'string' ? formData : 'anyone_with_the_link';
  const change = (value: unknown) => onChange(value, fieldPathId.path);
  const wrong = emails.find((email) => !isEmail(email));
  return (
    <Stack gap='xs'>
      <NativeSelect
        label='Who may answer'
        description={EXPLAINED[choice]}
        data={Object.entries(LABELS).map(([value, label]) => ({ value, label }))}
        value={choice}
        disabled={disabled === true}
        onChange={({ currentTarget: { value } }) => change(value === LISTED ? [] : value)}
      />
      {choice === LISTED && (
        <TagsInput
          label='E-mail addresses'
          description='Only confirmed addresses of accounts count.'
          placeholder={emails.length === 0 ? 'ann@example.com' : ''}
          maxTags={nodeLimits.input_answerers.value}
          splitChars={[',', ' ', ';']}
          value={emails}
          error={wrong === undefined ? emails.length === 0 && 'Enter an address' : `${wrong} is no e-mail address`}
          disabled={disabled === true}
          onChange={change}
        />
      )}
    </Stack>
  );
}
