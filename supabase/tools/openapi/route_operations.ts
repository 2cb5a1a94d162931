import { DEPLOYMENT_ID, inputs, output, PUBLIC_KEY, started, wallet, warning } from './examples.ts';
import { ref } from './json_schema.ts';
import {
  bodyErrors,
  limitErrors,
  type Operation,
  routeErrors,
  runReader,
  startErrors,
  user,
  whoStarts,
} from './operation.ts';

/** The operations of the Edge Functions: behind {base_url}. */
export const routeOperations: Operation[] = [
  {
    operationId: 'deployFlow',
    method: 'post',
    path: '/flow/deploy/{flow_id}',
    tag: 'Deployments',
    summary: 'Deploys a flow',
    description:
      "Freezes the caller's flow, with every flow that it calls, into a new deployment, to which the tag `latest` then points.",
    security: user,
    parameters: ['flowId', 'strict'],
    body: { schema: ref('NoParams'), isRequired: false, examples: { nothing: {} } },
    answers: {
      200: {
        description: 'The new deployment.',
        schema: ref('DeployFlowResult'),
        example: { deployment_id: DEPLOYMENT_ID, warnings: [warning] },
      },
    },
    errors: [...routeErrors, ...bodyErrors, 'flow_not_found', 'quota_exceeded', 'flow_invalid'],
  },
  {
    operationId: 'startDeployment',
    method: 'post',
    path: '/deployment/start',
    tag: 'Runs',
    summary: 'Starts a deployment',
    description:
      `Starts the deployment that \`id\` names, or \`flow\` and \`tag\`. Give either \`id\` or \`flow\`. ${whoStarts}`,
    security: [...user, ['publicKey']],
    parameters: ['deploymentId', 'flow', 'tag', 'idempotencyKey'],
    body: {
      schema: ref('StartDeploymentParams'),
      isRequired: false,
      examples: { inputs: { inputs }, signer: { inputs, action_signer: PUBLIC_KEY }, nothing: {} },
    },
    answers: { 200: { description: 'The run, queued.', schema: ref('StartResult'), example: started } },
    errors: [
      ...routeErrors,
      ...bodyErrors,
      ...startErrors,
      ...limitErrors,
      'start_target_ambiguous',
      'deployment_not_found',
    ],
  },
  {
    operationId: 'startFlow',
    method: 'post',
    path: '/flow/start/{flow_id}',
    tag: 'Runs',
    summary: 'Starts a flow without a deployment',
    description:
      'Runs the flow as it is stored now. The `deployment_id` of the run is null. Only the owner may do this.',
    security: user,
    parameters: ['flowId', 'strict', 'idempotencyKey'],
    body: {
      schema: ref('StartDeploymentParams'),
      isRequired: false,
      examples: { inputs: { inputs }, nothing: {} },
    },
    answers: {
      200: { description: 'The run, queued.', schema: ref('StartFlowResult'), example: { ...started, warnings: [] } },
    },
    errors: [...routeErrors, ...bodyErrors, ...startErrors, 'flow_not_found', 'flow_invalid'],
  },
  {
    operationId: 'readFlowOutput',
    method: 'get',
    path: '/flow/output/{flow_run_id}',
    tag: 'Runs',
    summary: "Waits for a run's output",
    description: 'For the owner of the flow, the starter of the run and the holder of its token.',
    security: runReader,
    parameters: ['flowRunId', 'wait'],
    answers: {
      200: { description: 'The run has succeeded: its bare output.', schema: ref('Output'), example: output },
      202: {
        description: 'The run has not ended; ask again.',
        schema: ref('RunPending'),
        example: { status: 'running' },
      },
    },
    errors: [...routeErrors, 'flow_run_not_found', 'run_failed', 'run_stopped'],
  },
  {
    operationId: 'stopFlow',
    method: 'post',
    path: '/flow/stop/{flow_run_id}',
    tag: 'Runs',
    summary: 'Asks a run to stop',
    description:
      'No new node starts. Running nodes are asked to end, and their results are recorded if they end within `timeout_millies`. Only the first ' +
      'request counts, and a run that has ended stays as it is. For the owner of the flow, the starter of the run and the holder of its token.',
    security: runReader,
    parameters: ['flowRunId'],
    body: {
      schema: ref('StopFlowParams'),
      isRequired: false,
      examples: { gently: { timeout_millies: 5_000, reason: 'not needed any more' }, nothing: {} },
    },
    answers: {
      200: {
        description: 'The run stops, or had ended already.',
        schema: ref('StopFlowResult'),
        example: { success: true },
      },
    },
    errors: [...routeErrors, ...bodyErrors, 'flow_run_not_found'],
  },
  {
    operationId: 'upsertWallet',
    method: 'post',
    path: '/wallets/upsert',
    tag: 'Wallets',
    summary: 'Stores a wallet',
    description:
      "Stores the caller's wallet of this public key, or changes it. The secret key of a HARDCODED wallet is kept as ciphertext " +
      'only, and no answer ever holds it.',
    security: user,
    body: {
      schema: ref('UpsertWalletParams'),
      isRequired: true,
      examples: {
        adapter: { type: 'ADAPTER', name: 'browser', public_key: PUBLIC_KEY },
        rename: { type: 'HARDCODED', name: 'renamed', public_key: PUBLIC_KEY },
      },
    },
    answers: { 200: { description: 'The wallet, without secrets.', schema: ref('Wallet'), example: wallet } },
    errors: [
      ...routeErrors,
      ...bodyErrors,
      'wallet_key_mismatch',
      'wallet_keypair_required',
      'token_required',
      'wallet_not_found',
      'wallet_in_use',
      'quota_exceeded',
    ],
  },
];
