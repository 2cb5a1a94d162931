import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActiveSwitch } from '../dialogs/active_switch.tsx';
import { useApi } from '../api.tsx';
import { ConfirmButton } from '../dialogs/confirm_button.tsx';
import { FormDialog } from '../dialogs/form_dialog.tsx';
import { draftOfHmac } from './hmac_fields.tsx';
import { verificationArguments, type VerificationDraft, VerificationFields } from './verification_fields.tsx';
import { type ListedWebhook, WEBHOOKS_KEY } from './webhook.ts';
import { type WebhookDraft, WebhookFields } from './webhook_fields.tsx';

/** Returns a function that refreshes the list after a change. */
function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
}

const draftOf = (row: ListedWebhook): WebhookDraft => {
  const { flow, tag, deployment_id, input, headers, whole_request, respond } = row;
  return { flow, tag, deployment_id, input, headers, whole_request, respond };
};

function EditWebhook({ row }: { row: ListedWebhook }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  const [draft, setDraft] = useState(() => draftOf(row));
  return (
    <FormDialog
      label='Change'
      title={`Change ${row.prefix}…`}
      size='xs'
      onOpen={() => setDraft(draftOf(row))}
      save={async () => {
        await db.from('flow_webhooks').update({ ...draft }).eq('id', row.id).throwOnError();
        await readAgain();
      }}
    >
      <WebhookFields draft={draft} change={setDraft} />
    </FormDialog>
  );
}

function SetVerification({ row }: { row: ListedWebhook }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  const initial: VerificationDraft = { verification: row.verification ?? '', secret: '', hmac: draftOfHmac(row.hmac) };
  const [draft, setDraft] = useState(initial);
  return (
    <FormDialog
      label='Verification'
      title={`Verification of ${row.prefix}…`}
      size='xs'
      onOpen={() => setDraft(initial)}
      save={async () => {
        await db.rpc('set_webhook_verification', { webhook_id: row.id, ...verificationArguments(draft) })
          .throwOnError();
        await readAgain();
      }}
    >
      <VerificationFields draft={draft} change={setDraft} />
    </FormDialog>
  );
}

function DeleteWebhook({ row }: { row: ListedWebhook }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={row.prefix}
      size='xs'
      question='Its URL stops working. The runs that it has started stay.'
      onConfirm={async () => {
        await db.from('flow_webhooks').delete().eq('id', row.id).throwOnError();
        await readAgain();
      }}
    />
  );
}

export function WebhookSwitch({ row }: { row: ListedWebhook }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  return (
    <ActiveSwitch
      label={row.prefix}
      isActive={row.is_active}
      store={async (is_active) => {
        await db.from('flow_webhooks').update({ is_active }).eq('id', row.id).throwOnError();
        await readAgain();
      }}
    />
  );
}

/** The owner's actions on a webhook. */
export const WebhookActions = ({ row }: { row: ListedWebhook }) => (
  <Group gap='xs'>
    <EditWebhook row={row} />
    <SetVerification row={row} />
    <DeleteWebhook row={row} />
  </Group>
);
