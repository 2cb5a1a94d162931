import { z } from 'zod';
import { decodeBase58 } from './values/base58.ts';

/** The version of the Solana Actions specification. All answers follow this version. */
export const ACTION_VERSION = '2.4';

/** The most characters of one parameter, which is a text that a person types. */
const MAX_PARAMETER_CHARACTERS = 10_000;
/** The most parameters of an action or a body, and the most characters of a parameter's name. */
export const MAX_PARAMETERS = 200;
const MAX_NAME_CHARACTERS = 200;

/** The text of a parameter, as typed into a field of a form. */
export const parameterTextSchema = z.string().max(
  MAX_PARAMETER_CHARACTERS,
  `must have at most ${MAX_PARAMETER_CHARACTERS} characters`,
);

const publicKeySchema = z.string('must be a public key: base58 of 32 bytes').refine(
  (text) => decodeBase58(text, 32) !== undefined,
  'must be a public key: base58 of 32 bytes',
);

/**
 * The body of a POST to an action, in the form of the specification. Unknown members are ignored, because later
 * versions may add some.
 */
export const actionPostParamsSchema = z.object({
  /** The public key of the wallet that has to sign. */
  account: publicKeySchema,
  /** Parameters by name. If they are missing here, they are in the query. The values of checkboxes are a list. */
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

/** The body of the call that a wallet makes after it has sent the transaction of an action. */
export const sentActionParamsSchema = z.object({
  account: publicKeySchema.optional(),
  signature: z.string('must be a signature: base58 of 64 bytes').refine(
    (text) => decodeBase58(text, 64) !== undefined,
    'must be a signature: base58 of 64 bytes',
  ),
});

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

/** A field for a choice of several values. */
export interface ActionChoice {
  type: 'select';
  name: string;
  label: string;
  required: boolean;
  options: { label: string; value: string; selected?: boolean }[];
}

/** The parts that a wallet displays. */
interface ActionView {
  /** An absolute URL. */
  icon: string;
  title: string;
  description: string;
  /** The text of the button. */
  label: string;
  disabled?: boolean;
  /** An error, which the wallet displays together with the other parts. */
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

/**
 * The answer to the call that a wallet makes after it has sent an action's transaction. The answer states the
 * transaction's outcome.
 */
export interface CompletedAction extends ActionView {
  type: 'completed';
}

/** The mapping of a website's pages to actions (`actions.json`). */
export interface ActionsJson {
  rules: { pathPattern: string; apiPath: string }[];
}
