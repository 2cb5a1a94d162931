import { Code, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useFault } from '../shared/errors/field_faults.tsx';
import { flowLimits } from '../../types/limits/flows.ts';
import type { ConnectionDraft } from './draft.ts';
import { KIND_CHOICES, KINDS, type NewConnectionKind, type SecretField } from './kinds.ts';

interface SecretInputProps {
  field: SecretField;
  value: string | undefined;
  change: (value: string) => void;
}

/** The field of one member of the secret. */
function SecretInput({ field, value, change }: SecretInputProps) {
  const fault = useFault();
  const { label, description, isHidden = false, isOptional = false, choices } = field;
  const error = fault(`secret.${field.name}`);
  const common = { label, description, error, required: !isOptional, autoComplete: 'off', spellCheck: false } as const;
  if (choices !== undefined) {
    return (
      <Select
        label={label}
        data={choices}
        value={value ?? choices[0]!.value}
        allowDeselect={false}
        onChange={(chosen) => chosen !== null && change(chosen)}
      />
    );
  }
  return isHidden
    ? (
      <PasswordInput
        {...common}
        autoComplete='new-password'
        value={value ?? ''}
        visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
    : <TextInput {...common} value={value ?? ''} onChange={(event) => change(event.currentTarget.value)} />;
}

interface ConnectionFieldsProps {
  draft: ConnectionDraft;
  change: (draft: ConnectionDraft) => void;
  /** True if the draft replaces a stored connection, whose name can't be changed. */
  isStored: boolean;
}

/** The form fields of a connection, which depend on the connection's kind. */
export function ConnectionFields({ draft, change, isStored }: ConnectionFieldsProps) {
  const fault = useFault();
  const { carries, place, fields } = KINDS[draft.kind];
  return (
    <Stack>
      {!isStored && (
        <TextInput
          label='Name'
          description='Nodes use the connection by this name.'
          required
          data-autofocus
          error={fault('name')}
          value={draft.name}
          maxLength={flowLimits.name_characters.value}
          onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
        />
      )}
      <Select
        label='Kind'
        data={KIND_CHOICES}
        value={draft.kind}
        allowDeselect={false}
        onChange={(kind) => kind !== null && change({ ...draft, kind: kind as NewConnectionKind })}
      />
      <Text size='sm' c='dimmed'>
        A request carries <Code>{carries}</Code>.
      </Text>
      {place !== undefined && (
        <TextInput
          label={place.label}
          placeholder={place.example}
          required
          error={fault(place.column)}
          value={draft.place}
          onChange={(event) => change({ ...draft, place: event.currentTarget.value.trim() })}
        />
      )}
      <Textarea
        label='Hosts'
        description='Only these hosts get the secret. Write one on each line. Add :port and /path if the secret is only for these.'
        placeholder='api.example.com/v1'
        required
        autosize
        minRows={1}
        maxRows={6}
        error={fault('hosts')}
        value={draft.hosts}
        onChange={(event) => change({ ...draft, hosts: event.currentTarget.value })}
      />
      {fields.map((field) => (
        <SecretInput
          key={`${draft.kind} ${field.name}`}
          field={field}
          value={draft.secret[field.name]}
          change={(value) => change({ ...draft, secret: { ...draft.secret, [field.name]: value } })}
        />
      ))}
      <Text size='sm' c='dimmed'>The secret is stored encrypted, and never shown again.</Text>
    </Stack>
  );
}
