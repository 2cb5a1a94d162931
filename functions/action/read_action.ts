import type { Context } from 'hono';
import { isSafeNumber, parse } from 'lossless-json';
import { MAX_PARAMETERS } from '../../types/action.ts';
import { deploymentPathSchema } from '../../types/deployment.ts';
import type { DescribedDeployment } from '../../types/deployment_description.ts';
import { apiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';

/** A public key without an owner. A caller who shows it may start only what anybody may start. */
const NOBODY = '1'.repeat(32);
/** An id that no deployment has. It replaces malformed ids, so that all refusals take the same time. */
const NO_DEPLOYMENT = { id: '00000000-0000-0000-0000-000000000000' };

/** Keeps all digits: lamports and bounds of integers may have more digits than a float. */
const readNumber = (digits: string): number | bigint =>
  isSafeNumber(digits) || !/^-?\d{1,60}$/.test(digits) ? Number(digits) : BigInt(digits);

/**
 * Reads the deployment that the path names. An action is a deployment that anybody may start and that outputs its
 * transaction. Throws the same 404 for a missing deployment and for a deployment that is no action. Throws
 * action_failed if the deployment has more inputs than a form may have.
 */
export async function readAction(context: Context, rpc: Rpc): Promise<DescribedDeployment> {
  const target = deploymentPathSchema.safeParse(context.req.param());
  const args = { ...(target.success ? target.data : NO_DEPLOYMENT), public_key: NOBODY };
  const text = await rpc<string>('read_deployment', args, {}, { isText: true });
  // JSON.parse runs first, because the parser that keeps all digits is slow: a flow of 10,000 inputs would delay other
  // actions.
  const { output_instructions, inputs } = JSON.parse(text) as DescribedDeployment;
  if (!output_instructions) throw apiError('deployment_not_found', 'There is no such deployment.');
  if (inputs.length > MAX_PARAMETERS) {
    throw apiError(
      'action_failed',
      `This action has more than ${MAX_PARAMETERS} inputs, too many for a wallet to ask for.`,
    );
  }
  // SAFETY: the SQL function defines the shape. Only numbers that a float can't hold are bigints, which the readers of
  // fees and bounds accept.
  return parse(text, undefined, readNumber) as DescribedDeployment;
}
