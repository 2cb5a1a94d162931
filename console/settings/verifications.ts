/** A way in which requests to a webhook prove who sends them. */
export interface Verification {
  /** As the column `verification` says; empty for null. */
  value: string;
  label: string;
  /** What is to be given as secret; undefined where there is none. */
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

/** The way that a column's value names. */
export const verificationOf = (value: string | null): Verification =>
  VERIFICATIONS.find((one) => one.value === (value ?? '')) ?? {
    value: value ?? '',
    label: value ?? '',
    secret: 'The same one as the sender has.',
  };
