import type { ConnectionRow, NewConnection } from 'flow-deployments-client';
import { KINDS, type NewConnectionKind } from './kinds.ts';

/** The contents of the form of a connection. */
export interface ConnectionDraft {
  name: string;
  kind: NewConnectionKind;
  /** One host on each line. */
  hosts: string;
  /** The name of the header or parameter. */
  place: string;
  /**
   * The members of the secret. If the user changes the kind, the open form keeps the members of the former kind, but
   * `toStore` does not store them.
   */
  secret: Record<string, string>;
}

export const NEW_CONNECTION: ConnectionDraft = { name: '', kind: 'bearer', hosts: '', place: '', secret: {} };

/** Makes the draft that replaces a stored connection. No API returns the secret, so its fields are empty. */
export const draftOf = ({ name, kind, hosts, header, parameter }: ConnectionRow): ConnectionDraft => ({
  name,
  // SAFETY: a constraint of the table allows only the kinds of the type.
  kind: kind as NewConnectionKind,
  hosts: hosts.join('\n'),
  place: header ?? parameter ?? '',
  secret: {},
});

/** Makes the request that stores a draft. Reduces a pasted URL to its host, and omits empty optional fields. */
export function toStore({ name, kind, hosts, place, secret }: ConnectionDraft): NewConnection {
  const { place: placed, fields } = KINDS[kind];
  const members = fields.map(({ name: member, choices, isOptional }) => {
    const value = secret[member] ?? choices?.[0]?.value ?? '';
    return value === '' && isOptional === true && kind !== 'basic' ? undefined : [member, value] as const;
  });
  return {
    name,
    kind,
    hosts: hosts.split(/[\s,]+/).map((host) => host.replace(/^https?:\/\//, '')).filter((host) => host !== ''),
    ...(placed !== undefined && { [placed.column]: place }),
    secret: Object.fromEntries(members.filter((member) => member !== undefined)),
  };
}
