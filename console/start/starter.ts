import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { fieldOf } from '../../types/values/port_types.ts';

/** Who starts: the user who is signed in, or whoever shows a public key. */
export type Starter = { kind: 'user'; email: string } | { kind: 'key'; publicKey: string };

/** The public key of a starter, as the client takes it; a user needs none. */
export const asKey = (starter: Starter): { publicKey?: string } =>
  starter.kind === 'key' ? { publicKey: starter.publicKey } : {};

/**
 * What the form begins with for a public key: the input named `account`, else the only required one that takes a key.
 * Actions fill in the same one.
 */
export function initialValues(inputs: readonly DeploymentInput[], starter: Starter): PlainValues {
  if (starter.kind === 'user') return {};
  const takesKey = ({ required, type_bounds }: DeploymentInput) => required && fieldOf(type_bounds) === 'key';
  const named = inputs.find(({ name }) => name === 'account');
  const [only, another] = inputs.filter(takesKey);
  const input = named ?? (another === undefined ? only : undefined);
  return input === undefined ? {} : { [input.name]: starter.publicKey };
}
