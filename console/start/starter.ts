import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { fieldOf } from '../../types/values/port_types.ts';

/**
 * The starter of a run: the signed-in user, or a visitor with a public key. A guest has a key that this browser made.
 */
export type Starter = { kind: 'user'; email: string } | { kind: 'key'; publicKey: string; isGuest: boolean };

/** Returns the public key of a starter for the client. A signed-in user needs no key. */
export const asKey = (starter: Starter): { publicKey?: string } =>
  starter.kind === 'key' ? { publicKey: starter.publicKey } : {};

/**
 * Returns the initial values of the form for a starter with a public key. The key goes into the input `account`. If
 * there is no such input, the key goes into the required input that accepts a key, if there is only one. Solana Actions
 * use the same rule.
 */
export function initialValues(inputs: readonly DeploymentInput[], starter: Starter): PlainValues {
  if (starter.kind === 'user') return {};
  const takesKey = ({ required, type_bounds }: DeploymentInput) => required && fieldOf(type_bounds) === 'key';
  const named = inputs.find(({ name }) => name === 'account');
  const [only, another] = inputs.filter(takesKey);
  const input = named ?? (another === undefined ? only : undefined);
  return input === undefined ? {} : { [input.name]: starter.publicKey };
}
