import type { DeployFlowResult } from '../../types/deployment.ts';
import { requireTexts } from '../requests/read_answer.ts';
import type { DeploymentDescription, FlowClient } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import type { Send } from '../requests/request.ts';
import { readFees } from './read_fees.ts';
import { notFound, readRows, writeRow } from '../requests/rows.ts';
import { asPublicKey, targetQuery } from './target.ts';

/** The methods that store, deploy, tag and read deployments. */
export function makeDeploying(send: Send): Pick<FlowClient, 'storeFlow' | 'deploy' | 'tag' | 'setTool' | 'read'> {
  const storeFlow: FlowClient['storeFlow'] = async (flow, { id, signal } = {}) => {
    const [row] = await readRows<{ id: number }>(send, {
      method: id === undefined ? 'POST' : 'PATCH',
      path: `/rest/v1/flows?select=id${id === undefined ? '' : `&id=eq.${encodeURIComponent(id)}`}`,
      headers: { prefer: 'return=representation' },
      body: JSON.stringify(flow),
      signal,
    });
    if (typeof row?.id === 'number') return row.id;
    throw notFound('flow_not_found', `There is no flow ${id}, or it is somebody else's.`);
  };

  const tag: FlowClient['tag'] = async (deployment, name, { signal } = {}) => {
    const [found] = await readRows<{ entrypoint: number }>(send, {
      path: `/rest/v1/flow_deployments?select=entrypoint&id=eq.${encodeURIComponent(deployment)}`,
      isRepeatable: true,
      signal,
    });
    if (found === undefined) {
      throw notFound('deployment_not_found', `There is no deployment ${deployment}, or it is somebody else's.`);
    }
    await send({
      method: 'POST',
      path: '/rest/v1/flow_deployments_tags?on_conflict=entrypoint,tag',
      headers: { prefer: 'resolution=merge-duplicates,return=minimal' },
      body: JSON.stringify({ entrypoint: found.entrypoint, tag: name, deployment_id: deployment }),
      isRepeatable: true,
      signal,
    });
  };

  return {
    storeFlow,
    tag,
    setTool: async (flow, tool, options) => {
      const columns = tool === null
        ? { tool_name: null }
        : { tool_name: tool.name, tool_tag: tool.tag ?? 'latest', tool_description: tool.description ?? '' };
      const request = { method: 'PATCH', body: JSON.stringify(columns), isRepeatable: true } as const;
      const row = await writeRow(send, 'flows', ['id', String(flow)], request, options).catch((error) => {
        if (error.code !== '23505') throw error;
        const message = 'another flow of yours has this name';
        throw new FlowError({ ...error, message: `tool_name: ${message}.`, details: [{ path: 'tool_name', message }] });
      });
      if (row !== undefined) return;
      throw notFound('flow_not_found', `There is no flow ${flow}, or it is somebody else's.`);
    },
    read: async (target, { publicKey, signal } = {}) => {
      const path = `/functions/v1/deployment/read?${targetQuery(target)}`;
      const answer = await send({ path, headers: asPublicKey(publicKey), isRepeatable: true, signal });
      const { body } = answer;
      requireTexts(body, ['deployment_id'], 'reading the deployment');
      const { inputs, outputs } = body as Record<string, unknown>;
      if (!Array.isArray(inputs) || !Array.isArray(outputs)) {
        throw new FlowError({ code: 'answer_invalid', message: 'The answer lists no inputs and outputs.' });
      }
      const fees = readFees(answer, (description) => (description as DeploymentDescription).fees);
      return { ...body as DeploymentDescription, fees };
    },
    deploy: async (flow, { strict = false, tag: name, settingsFrom, signal } = {}) => {
      if (!Number.isInteger(flow)) {
        throw new FlowError({ code: 'value_invalid', message: 'deploy takes the id of a flow, an integer.' });
      }
      const path = `/functions/v1/flow/deploy/${flow}${strict ? '?strict=true' : ''}`;
      const settings = settingsFrom !== undefined && { body: JSON.stringify({ settings_from: settingsFrom }) };
      const { body } = await send({ method: 'POST', path, ...settings, signal });
      requireTexts(body, ['deployment_id'], 'the deploy');
      // SAFETY: `requireTexts` has checked the member that callers read.
      const result = body as DeployFlowResult;
      if (name !== undefined) await tag(result.deployment_id, name, { signal });
      return { ...result, warnings: result.warnings ?? [] };
    },
  };
}
