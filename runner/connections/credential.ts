import { base64 } from '@scure/base';
import type { Connection, ConnectionSecret } from '../../types/connection.ts';
import { codedError } from '../../types/run_errors.ts';
import { type Credential, NodeError } from '../engine/node.ts';
import { isWithinHosts } from './hosts.ts';
import { makeRedaction } from './redaction.ts';

/**
 * The shortest secret that is removed from answers. Shorter texts may occur in any answer by chance. Only the password
 * of a user can be shorter. A request carries it only as `user:password`, and that longer text is removed.
 */
const MIN_SECRET_LENGTH = 4;

/** A secret that a request carries itself. For other kinds, a request carries an access token. */
export type DirectSecret = Exclude<ConnectionSecret, { kind: `oauth2_${string}` }>;

/** The secret of a client that gets access tokens from a token server. */
export type OauthSecret = Extract<ConnectionSecret, { kind: `oauth2_${string}` }>;

/** The texts of an OAuth client that no answer and no error may contain. */
export const secretsOf = ({ secret }: OauthSecret): string[] =>
  [secret.client_secret, 'refresh_token' in secret ? secret.refresh_token : undefined]
    .filter((text) => text !== undefined);

/** The header or parameter in which a request carries the secret, and the texts that answers must not repeat. */
interface Carried {
  header?: [name: string, value: string];
  parameter?: [name: string, value: string];
  secrets: string[];
}

function carry({ header, parameter }: Pick<Connection, 'header' | 'parameter'>, opened: DirectSecret): Carried {
  switch (opened.kind) {
    case 'bearer': {
      const { token } = opened.secret;
      return { header: ['authorization', `Bearer ${token}`], secrets: [token] };
    }
    case 'basic': {
      const { user, password } = opened.secret;
      // Source: RFC 7617, section 2.
      const encoded = base64.encode(new TextEncoder().encode(`${user}:${password}`));
      const alone = password === '' ? user : password;
      return { header: ['authorization', `Basic ${encoded}`], secrets: [`${user}:${password}`, encoded, alone] };
    }
    case 'header':
      return { header: [header ?? '', opened.secret.value], secrets: [opened.secret.value] };
    case 'query':
      return { parameter: [parameter ?? '', opened.secret.value], secrets: [opened.secret.value] };
  }
}

/** Encodes a parameter so that the parser of the URL standard keeps the text unchanged. */
const encodePair = (pair: [string, string]): string => pair.map(encodeURIComponent).join('=').replaceAll("'", '%27');

interface CredentialOptions {
  /** True if the secret may be sent over http. */
  allowsHttp: boolean;
  /** Further texts that answers must not repeat. */
  otherSecrets?: string[];
  /** Called if a server answers 401 to a request that carries the secret. */
  refused?: () => Promise<void>;
}

/** Makes the credential of a connection. Its errors never contain the secret. */
export function makeCredential(
  connection: Pick<Connection, 'name' | 'hosts' | 'header' | 'parameter'>,
  opened: DirectSecret,
  { allowsHttp, otherSecrets = [], refused }: CredentialOptions,
): Credential {
  const { header, parameter, secrets } = carry(connection, opened);
  const name = JSON.stringify(connection.name);
  const mayCarry = ({ protocol }: URL): boolean => protocol === 'https:' || allowsHttp && protocol === 'http:';
  const mayReach = (url: URL): boolean => mayCarry(url) && isWithinHosts(url, connection.hosts);
  return {
    check: (url, headers) => {
      if (!mayReach(url)) {
        const fault = mayCarry(url)
          ? `is not for this URL of ${url.host}: its hosts do not name it`
          : 'is for https URLs only';
        throw new NodeError(codedError('connection_url_refused', `the connection ${name} ${fault}`));
      }
      if (url.username !== '' || url.password !== '') {
        throw new NodeError('give either a connection or credentials in the URL, not both');
      }
      if (header !== undefined && headers.has(header[0])) {
        throw new NodeError(`the connection ${name} sends the header ${header[0]}, so the flow must not send it`);
      }
      if (parameter !== undefined && url.searchParams.has(parameter[0])) {
        throw new NodeError(`the connection ${name} sends a query parameter that the URL already has`);
      }
    },
    add: ({ url, headers }) => {
      if (!mayReach(url)) return { url, headers };
      const carrying = new Headers(headers);
      if (header !== undefined) carrying.set(...header);
      if (parameter === undefined) return { url, headers: carrying };
      const extended = new URL(url);
      extended.search = `${url.search === '' ? '?' : `${url.search}&`}${encodePair(parameter)}`;
      return { url: extended, headers: carrying };
    },
    remove: (url) => {
      if (parameter === undefined || !url.searchParams.has(parameter[0])) return url;
      const cleaned = new URL(url);
      cleaned.searchParams.delete(parameter[0]);
      return cleaned;
    },
    redaction: makeRedaction([...secrets, ...otherSecrets].filter(({ length }) => length >= MIN_SECRET_LENGTH)),
    refused,
  };
}
