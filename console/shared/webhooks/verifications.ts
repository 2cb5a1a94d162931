/** A kind of verification of webhook senders. */
interface Verification {
  /** The value of the column `verification`; empty for null. */
  value: string;
  label: string;
  /** A description of the secret; undefined for a verification without a secret. */
  secret: string | undefined;
}

export const VERIFICATIONS: Verification[] = [
  { value: '', label: 'nothing: whoever has the URL', secret: undefined },
  { value: 'github', label: 'GitHub', secret: 'The secret of the webhook on GitHub.' },
  { value: 'stripe', label: 'Stripe', secret: 'The signing secret of the endpoint, as Stripe shows it.' },
  { value: 'standard_webhooks', label: 'Standard Webhooks', secret: 'whsec_ and the base64 of 24 to 64 bytes.' },
  {
    value: 'hmac',
    label: 'an HMAC of the body in a header',
    secret: 'The key that the sender signs with, 8 to 1,000 characters.',
  },
  {
    value: 'authorization',
    label: 'a fixed Authorization header (Helius)',
    secret: 'The whole value of the header, 8 to 1,000 characters.',
  },
];

/** Returns the verification for a column's value. */
export const verificationOf = (value: string | null): Verification =>
  VERIFICATIONS.find((one) => one.value === (value ?? '')) ?? {
    value: value ?? '',
    label: value ?? '',
    secret: 'The same one as the sender has.',
  };
