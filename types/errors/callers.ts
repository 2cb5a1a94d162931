import type { ErrorEntry } from './error_entry.ts';

/** The errors of credentials and callers. */
export const callerErrors = {
  unauthenticated: {
    status: 401,
    meaning: 'The request carries no credential.',
    remedy: 'Send an access token, an API key, a run token or, to start, a public key.',
    example: {
      message: 'The request carries no credential that this call accepts.',
      hint:
        'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). A run token is accepted only for its own run, and a public key only for a start.',
    },
  },
  token_invalid: {
    status: 401,
    meaning: 'The token is malformed, forged or expired, or its user was deleted.',
    remedy: 'Sign in again, or refresh the session.',
    example: { message: 'The access token has expired.', hint: 'Refresh the session, or sign in again.' },
  },
  api_key_invalid: {
    status: 401,
    meaning: 'The API key was never made, it has been deleted, or its user has been deleted or banned.',
    remedy: 'Make a new key: `rpc("create_api_key")`.',
    example: {
      message:
        'The API key is not valid: it was never made, it has been deleted, or its user has been deleted or banned.',
    },
  },
  token_required: {
    status: 403,
    meaning: 'The request needs the access token of a user who has signed up.',
    remedy: 'Sign in as a user who has signed up; an API key is not enough.',
    example: {
      message:
        "Only a user who has signed up can make API keys, with an access token. An API key, a flow or an anonymous user can't.",
    },
  },
  api_key_not_found: {
    status: 404,
    meaning: "There is no such API key, or it is somebody else's.",
    remedy: 'Look at the ids in `api_keys`; the key may have been deleted already.',
    example: { message: 'There is no such API key.' },
  },
} as const satisfies Record<string, ErrorEntry>;
