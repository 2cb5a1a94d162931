import { useState } from 'react';
import { useApi } from '../api.tsx';
import { Icon } from '../icon.tsx';
import { SecretDialog } from '../dialogs/secret_dialog.tsx';
import type { StartTarget } from '../targets/start_target.ts';
import { draftOfHmac } from './hmac_fields.tsx';
import { verificationArguments, type VerificationDraft, VerificationFields } from './verification_fields.tsx';
import { type WebhookDraft, WebhookFields } from './webhook_fields.tsx';

const NEW: WebhookDraft = {
  flow: null,
  tag: 'latest',
  deployment_id: null,
  input: '',
  headers: [],
  whole_request: false,
  respond: false,
};
const UNVERIFIED: VerificationDraft = { verification: '', secret: '', hmac: draftOfHmac(null) };

interface NewWebhookProps {
  onMade: () => void;
  /** The target that is chosen when the dialog opens. */
  target?: StartTarget;
}

/** A button that makes a webhook, and shows its URL once. */
export function NewWebhook({ onMade, target }: NewWebhookProps) {
  const { db } = useApi();
  const initial = { ...NEW, ...target };
  const [draft, setDraft] = useState(initial);
  const [verification, setVerification] = useState(UNVERIFIED);
  const make = async () => {
    const { flow, tag, deployment_id, ...fields } = draft;
    const { data } = await db.rpc('create_webhook', {
      ...(flow !== null && { flow }),
      ...(tag !== null && { tag }),
      ...(deployment_id !== null && { deployment_id }),
      ...fields,
      ...verificationArguments(verification),
    }).throwOnError();
    onMade();
    // SAFETY: the function returns the row and its `url`.
    return (data as { url: string }).url;
  };
  return (
    <SecretDialog
      title='New webhook'
      secretLabel='URL'
      dialogSize='lg'
      leftSection={<Icon name='plus' />}
      make={make}
      onOpen={() => {
        setDraft(initial);
        setVerification(UNVERIFIED);
      }}
    >
      <WebhookFields draft={draft} change={setDraft} />
      <VerificationFields draft={verification} change={setVerification} />
    </SecretDialog>
  );
}
