import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PendingInput, PlainValue } from 'flow-deployments-client';
import { useMemo, useState } from 'react';
import { useApi } from '../api.tsx';
import { ErrorAlert } from '../errors/error_alert.tsx';
import { isObject } from '../graph/drawn_node.ts';
import { prepareForm } from '../form/prepare_schema.ts';
import { SchemaForm } from '../form/schema_form.tsx';
import { runKey } from '../use_run_events.ts';
import { ChoiceButton } from './choice_button.tsx';
import { INBOX_KEY } from './use_inbox.ts';

/**
 * The form for an answer. It has one field, `value`. If the node gave a schema for the answer, the field has this
 * schema.
 */
function formOf({ json_schema }: PendingInput) {
  const value = isObject(json_schema) ? prepareForm(json_schema, {}) : { schema: {}, uiSchema: {} };
  // `prepareForm` adds the type `object`. If the node's schema has no type, it accepts any value, so the added type is
  // removed.
  const { type, ...rest } = value.schema;
  const isTyped = isObject(json_schema) && json_schema.type !== undefined;
  return {
    schema: {
      type: 'object' as const,
      properties: { value: { title: 'value', ...rest, ...(isTyped && { type }) } },
      required: ['value'],
    },
    uiSchema: { value: value.uiSchema },
  };
}

function ValueForm({ input, isSending, send }: {
  input: PendingInput;
  isSending: boolean;
  send: (value: PlainValue) => void;
}) {
  const form = useMemo(() => formOf(input), [input]);
  const [values, setValues] = useState<unknown>({});
  return (
    <SchemaForm
      idPrefix={`input-${input.id}`}
      {...form}
      value={values}
      onChange={setValues}
      disabled={isSending}
      // SAFETY: a valid form has a value, and the value is JSON.
      onSubmit={(sent) => send((sent as { value: PlainValue }).value)}
    >
      <Group justify='flex-end'>
        <Button type='submit' loading={isSending}>Send</Button>
      </Group>
    </SchemaForm>
  );
}

/** Takes the answer to a pending input: a button for each choice, or a form. */
export function AnswerForm({ input, token }: { input: PendingInput; token: string | undefined }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const answer = useMutation({
    mutationFn: (send: () => Promise<void>) => send(),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: runKey(input.root_flow_run_id) });
      await queries.invalidateQueries({ queryKey: INBOX_KEY });
    },
  });
  const send = (value: PlainValue) => answer.mutate(() => flows.submitInput(input.url, value, { token }));
  const choices = Array.isArray(input.choices) ? input.choices.filter((choice) => typeof choice === 'string') : [];
  return (
    <Stack gap='sm'>
      {choices.length > 0
        ? (
          <Group gap='xs' role='group' aria-label='Answers'>
            {choices.map((choice) => (
              <ChoiceButton
                key={choice}
                choice={choice}
                disabled={answer.isPending}
                onClick={() => send(choice)}
              />
            ))}
          </Group>
        )
        : <ValueForm input={input} isSending={answer.isPending} send={send} />}
      <ErrorAlert error={answer.error} />
      <Group justify='flex-end'>
        <Button
          variant='default'
          size='xs'
          disabled={answer.isPending}
          onClick={() => answer.mutate(() => flows.cancelInput(input.url, { token }))}
        >
          Cancel the input
        </Button>
      </Group>
    </Stack>
  );
}
