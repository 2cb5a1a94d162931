import { z } from 'zod';
import { deploymentTargetSchema, flowIdSchema } from './deployment.ts';
import { decodeBase58 } from './values/base58.ts';

/** The version of the Solana Actions specification that the answers follow. */
export const ACTION_VERSION = '2.4';

/** How many characters the text of one parameter may have: a wallet sends what somebody typed. */
const MAX_PARAMETER_CHARACTERS = 10_000;
/** How many parameters an action and a body may have, and how many characters the name of one. */
export const MAX_PARAMETERS = 200;
const MAX_NAME_CHARACTERS = 200;

/** The text of a parameter; what is written into a field of a form. */
export const parameterTextSchema = z.string().max(
  MAX_PARAMETER_CHARACTERS,
  `must have at most ${MAX_PARAMETER_CHARACTERS} characters`,
);

const publicKeySchema = z.string('must be a public key: base58 of 32 bytes').refine(
  (text) => decodeBase58(text, 32) !== undefined,
  'must be a public key: base58 of 32 bytes',
);

/** The body of a POST to an action, as the specification has it. Members that it may have one day are ignored. */
export const actionPostParamsSchema = z.object({
  /** The public key of the wallet that has to sign. */
  account: publicKeySchema,
  /** Parameters by name, where they are not in the query. Several values are those of checkboxes. */
  data: z.record(
    z.string().max(MAX_NAME_CHARACTERS),
    z.union(
      [parameterTextSchema, z.array(parameterTextSchema).max(MAX_PARAMETERS)],
      'must be a text, or a list of texts',
    ),
  ).refine((data) => Object.keys(data).length <= MAX_PARAMETERS, `must have at most ${MAX_PARAMETERS} parameters`)
    .optional(),
});

export type ActionPostParams = z.infer<typeof actionPostParamsSchema>;

/** The body of the call that follows an action, once its transaction was sent. */
export const sentActionParamsSchema = z.object({
  account: publicKeySchema.optional(),
  signature: z.string('must be a signature: base58 of 64 bytes').refine(
    (text) => decodeBase58(text, 64) !== undefined,
    'must be a signature: base58 of 64 bytes',
  ),
});

/** Which deployment an action is of: by id, or by flow and tag. */
export const actionTargetSchema = z.union([
  z.strictObject({ deployment_id: z.uuid() }).transform(({ deployment_id }) => ({ id: deployment_id })),
  z.strictObject({ flow_id: flowIdSchema, tag: deploymentTargetSchema.shape.tag.unwrap() })
    .transform(({ flow_id, tag }) => ({ flow: flow_id, tag })),
]);

export type ActionTarget = z.output<typeof actionTargetSchema>;

/** A field of the form that a wallet shows. */
export interface ActionParameter {
  type: 'text' | 'number' | 'textarea' | 'email' | 'url';
  name: string;
  label: string;
  required: boolean;
  pattern?: string;
  patternDescription?: string;
  min?: number;
  max?: number;
}

/** A field for a day, such as 2026-11-23. */
export interface ActionDate {
  type: 'date';
  name: string;
  label: string;
  required: boolean;
}

/** A field in which one of several values is chosen. */
export interface ActionChoice {
  type: 'select';
  name: string;
  label: string;
  required: boolean;
  options: { label: string; value: string; selected?: boolean }[];
}

/** What a wallet shows. */
interface ActionView {
  /** An absolute URL. */
  icon: string;
  title: string;
  description: string;
  /** The text of the button. */
  label: string;
  disabled?: boolean;
  /** Shown beside the rest. */
  error?: { message: string };
}

/** The answer to the GET of an action. */
export interface ActionGetResult extends ActionView {
  type: 'action';
  links?: {
    actions: {
      type: 'transaction';
      href: string;
      label: string;
      parameters?: (ActionParameter | ActionDate | ActionChoice)[];
    }[];
  };
}

/** The answer to the POST of an action. */
export interface ActionPostResult {
  type: 'transaction';
  /** Base64 of the wire format. */
  transaction: string;
  message?: string;
  links: { next: { type: 'post'; href: string } };
}

/** The answer once the transaction of an action was sent: how it ended. */
export interface CompletedAction extends ActionView {
  type: 'completed';
}

/** Which of a site's pages are actions. */
export interface ActionsJson {
  rules: { pathPattern: string; apiPath: string }[];
}
