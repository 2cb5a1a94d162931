import { type NamedTarget, TARGET_NAMES } from '../targets/describe_target.ts';

/** A webhook in the list. */
export interface ListedWebhook extends NamedTarget {
  id: string;
  prefix: string;
  input: string;
  headers: string[];
  whole_request: boolean;
  respond: boolean;
  verification: string | null;
  /** The sender's signature settings, for the verification `hmac`. */
  hmac: unknown;
  is_active: boolean;
  last_start_at: string | null;
  last_flow_run_id: string | null;
  last_error: string | null;
}

/** The columns of a ListedWebhook. */
export const SHOWN =
  `id, prefix, flow, tag, deployment_id, input, headers, whole_request, respond, verification, hmac, is_active, last_start_at, last_flow_run_id, last_error, ${TARGET_NAMES}` as const;

export const WEBHOOKS_KEY = ['webhooks'];
