import type { ConnectionRow, NewConnection } from 'flow-deployments-client';

export type NewConnectionKind = NewConnection['kind'];

/** A member of the secret of a connection, as a field of its form. */
export interface SecretField {
  name: string;
  label: string;
  description?: string;
  /** True for texts that the form hides, like passwords. */
  isHidden?: boolean;
  isOptional?: boolean;
  /** The values to choose from, the default first. */
  choices?: { value: string; label: string }[];
}

/** The fields of the form for one kind of connection. */
interface Kind {
  label: string;
  /** The credential that requests of flows contain, in words. */
  carries: string;
  /** The field for the name of the header or parameter that contains the secret. */
  place?: { column: 'header' | 'parameter'; label: string; example: string };
  fields: SecretField[];
}

const TOKEN_SERVER: SecretField[] = [
  { name: 'token_url', label: 'Token URL', description: 'The https URL of the token server.' },
  { name: 'client_id', label: 'Client id' },
];

const LAST_FIELDS: SecretField[] = [
  { name: 'scope', label: 'Scope', isOptional: true },
  {
    name: 'client_auth',
    label: 'How the client shows its secret',
    choices: [
      { value: 'basic', label: 'In the header Authorization (basic)' },
      { value: 'post', label: 'In the body (post)' },
    ],
  },
];

/** The kinds of connections, in the order of the form. */
export const KINDS: Record<NewConnectionKind, Kind> = {
  bearer: {
    label: 'Bearer token',
    carries: 'Authorization: Bearer <token>',
    fields: [{ name: 'token', label: 'Token', isHidden: true }],
  },
  basic: {
    label: 'User and password',
    carries: 'Authorization: Basic <user:password>',
    fields: [
      { name: 'user', label: 'User' },
      { name: 'password', label: 'Password', isHidden: true, isOptional: true },
    ],
  },
  header: {
    label: 'Header',
    carries: 'the header with the secret',
    place: { column: 'header', label: 'Header', example: 'x-api-key' },
    fields: [{ name: 'value', label: 'Value', isHidden: true }],
  },
  query: {
    label: 'Parameter of the URL',
    carries: 'the parameter with the secret, behind those of the URL',
    place: { column: 'parameter', label: 'Parameter', example: 'api_key' },
    fields: [{ name: 'value', label: 'Value', isHidden: true }],
  },
  oauth2_client_credentials: {
    label: 'OAuth 2.0: client credentials',
    carries: 'an access token, which is renewed before it expires',
    fields: [
      ...TOKEN_SERVER,
      { name: 'client_secret', label: 'Client secret', isHidden: true },
      ...LAST_FIELDS,
    ],
  },
  oauth2_refresh_token: {
    label: 'OAuth 2.0: refresh token',
    carries: 'an access token, which is renewed before it expires',
    fields: [
      ...TOKEN_SERVER,
      {
        name: 'client_secret',
        label: 'Client secret',
        description: 'A public client has none.',
        isHidden: true,
        isOptional: true,
      },
      { name: 'refresh_token', label: 'Refresh token', isHidden: true },
      ...LAST_FIELDS,
    ],
  },
};

/** The choices of a list of kinds. */
export const KIND_CHOICES = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }));

/** Describes the kind of a stored connection, with its header or parameter. */
export function describeKind(
  { kind, header, parameter }: Pick<ConnectionRow, 'kind' | 'header' | 'parameter'>,
): string {
  const label = KINDS[kind as NewConnectionKind]?.label ?? kind;
  const place = header ?? parameter;
  return place === null ? label : `${label}: ${place}`;
}
