import { PasswordInput, Select } from '@mantine/core';
import { type HmacDraft, HmacFields } from './hmac_fields.tsx';
import { verificationOf, VERIFICATIONS } from './verifications.ts';

/** The verification of senders, in the editor. */
export interface VerificationDraft {
  /** Empty if nothing is chosen. */
  verification: string;
  secret: string;
  /** The sender's signature settings, for the verification `hmac`. */
  hmac: HmacDraft;
}

/** Converts the draft to arguments of the SQL functions that set a verification. */
export const verificationArguments = ({ verification, secret, hmac }: VerificationDraft) => ({
  ...(verification !== '' && { verification }),
  ...(verification !== '' && secret !== '' && { secret }),
  ...(verification === 'hmac' && { hmac: { ...hmac, id_header: hmac.id_header || null } }),
});

interface VerificationFieldsProps {
  draft: VerificationDraft;
  change: (draft: VerificationDraft) => void;
}

export function VerificationFields({ draft, change }: VerificationFieldsProps) {
  const chosen = verificationOf(draft.verification);
  return (
    <>
      <Select
        label='Verified by'
        data={VERIFICATIONS.some(({ value }) => value === chosen.value) ? VERIFICATIONS : [...VERIFICATIONS, chosen]}
        allowDeselect={false}
        value={chosen.value}
        onChange={(verification) => change({ ...draft, verification: verification ?? '' })}
      />
      {chosen.value === 'hmac' && <HmacFields hmac={draft.hmac} change={(hmac) => change({ ...draft, hmac })} />}
      {chosen.secret !== undefined && (
        <PasswordInput
          label='Secret'
          description={`${chosen.secret} If you leave it empty, all requests are refused until you set a secret.`}
          autoComplete='off'
          maxLength={1000}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
          value={draft.secret}
          onChange={(event) => change({ ...draft, secret: event.currentTarget.value })}
        />
      )}
    </>
  );
}
