/** How requests to a webhook prove who sends them, as the column `verification` says; empty for null. */
export const VERIFICATIONS = [
  { value: '', label: 'nothing: whoever has the URL' },
  { value: 'github', label: 'GitHub' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'standard_webhooks', label: 'Standard Webhooks' },
  { value: 'authorization', label: 'a fixed Authorization header (Helius)' },
];
