import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { fieldOf } from '../../types/values/port_types.ts';

/** The starter: the signed-in user, or a visitor with a public key, which this browser has made for a guest. */
export type Starter = { kind: 'user'; email: string } | { kind: 'key'; publicKey: string; isGuest: boolean };

/** Returns the public key of a starter for the client; a user needs none. */
export const asKey = (starter: Starter): { publicKey?: string } =>
  starter.kind === 'key' ? { publicKey: starter.publicKey } : {};

/**
 * Returns the initial values of the form for a public key. It goes into the input named `account`, or else the only
 * required input that takes a key, like in actions.
 */
export function initialValues(inputs: readonly DeploymentInput[], starter: Starter): PlainValues {
  if (starter.kind === 'user') return {};
  const takesKey = ({ required, type_bounds }: DeploymentInput) => required && fieldOf(type_bounds) === 'key';
  const named = inputs.find(({ name }) => name === 'account');
  const [only, another] = inputs.filter(takesKey);
  const input = named ?? (another === undefined ? only : undefined);
  return input === undefined ? {} : { [input.name]: starter.publicKey };
}
