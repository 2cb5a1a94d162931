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

interface AnsweredByProps {
  label: string;
  /** The stored choice: a word, or a list of e-mail addresses. */
  value: unknown;
  /** The choice that counts if none is stored. */
  without: typeof ANSWERED_BY[number];
  disabled: boolean;
  onChange: (value: string | string[]) => void;
}

/** Chooses who may answer. */
export function AnsweredBy({ label, value, without, disabled, onChange }: AnsweredByProps) {
  const emails = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  const choice = Array.isArray(value) ? LISTED : typeof value === 'string' ? value : without;
  const wrong = emails.find((email) => !isEmail(email));
  return (
    <Stack gap='xs'>
      <NativeSelect
        label={label}
        description={EXPLAINED[choice]}
        data={Object.entries(LABELS).map(([word, words]) => ({ value: word, label: words }))}
        value={choice}
        disabled={disabled}
        onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === LISTED ? [] : chosen)}
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
          disabled={disabled}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}

/** The field of a node that asks. A node without a choice lets anyone with the link answer. */
export const AnsweredByField = ({ formData, onChange, fieldPathId, disabled }: FieldProps) => (
  <AnsweredBy
    label='Who may answer'
    value={formData}
    without='anyone_with_the_link'
    disabled={disabled === true}
    onChange={(value) => onChange(value, fieldPathId.path)}
  />
);
