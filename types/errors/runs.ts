import { requestLimits } from '../limits/requests.ts';
import { runLimits } from '../limits/runs.ts';
import type { ErrorEntry } from './error_entry.ts';

/** The errors of starts and runs. */
export const runRequestErrors = {
  start_target_ambiguous: {
    status: 400,
    meaning: 'Name the deployment by `id`, or by `flow` and `tag`, not by both.',
    remedy: 'Send `?id=<deployment>`, or `?flow=<flow>` with or without `&tag=<tag>`.',
    example: {
      message: 'Name the deployment either by id or by flow.',
      hint: 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.',
    },
  },
  action_signer_invalid: {
    status: 400,
    meaning: '`action_signer` must be a public key: base58 of 32 bytes.',
    remedy: 'Send base58 of 32 bytes.',
    example: { message: '`action_signer` must be a public key: base58 of 32 bytes.' },
  },
  priority_invalid: {
    status: 400,
    meaning: '`priority` of a start is out of range, or the caller is not the owner of the flow.',
    remedy: 'Leave it out, or send seconds in the range that the message names.',
    example: {
      message: 'Only the owner of the flow may start a run with a `priority`.',
      hint: 'Leave `priority` out.',
    },
  },
  environment_invalid: {
    status: 400,
    meaning:
      '`environment` of a start must be an object of texts, and the transaction settings in it must be valid; `details` lists the faults.',
    remedy: 'Correct what `details` lists.',
    example: {
      message: 'environment.COMPUTE_BUDGET: COMPUTE_BUDGET must be auto, no or an integer from 0 to 2^32-1.',
      details: [{
        code: 'environment_value_invalid',
        path: 'environment.COMPUTE_BUDGET',
        message: 'COMPUTE_BUDGET must be auto, no or an integer from 0 to 2^32-1',
      }],
    },
  },
  partial_config_invalid: {
    status: 400,
    meaning:
      `\`partial_config\` has the wrong shape, names a node that the flow does not have, or names more than ${runLimits.named_runs.value} runs; \`details\` says where.`,
    remedy: 'Correct the member that `details` names. `GET /rest/v1/flows` returns the ids of the nodes.',
    example: {
      message: 'partial_config.only_nodes: the flow has no node 01930000-0000-7000-8000-000000000001.',
      details: [{
        path: 'partial_config.only_nodes',
        message: 'the flow has no node 01930000-0000-7000-8000-000000000001',
      }],
    },
  },
  flow_run_not_found: {
    status: 404,
    meaning: 'There is no such run, or the caller may not see it.',
    remedy:
      'Check the id. Check also that your credential belongs to somebody who may see the run, or that your run token belongs to this run.',
    example: { message: 'There is no such run.' },
  },
  webhook_delivery_not_found: {
    status: 404,
    meaning: "There is no such delivery of an outgoing webhook, or it is somebody else's.",
    remedy: 'Check the id in `webhook_deliveries`; a delivery is deleted with its run.',
    example: { message: 'There is no such delivery.' },
  },
  pending_input_not_found: {
    status: 404,
    meaning:
      'There is no such pending input: the token is unknown, the input has expired, or its run has ended or is being stopped.',
    remedy: 'Check the URL; if the time is over, start the run again.',
    example: {
      message: 'There is no such pending input.',
      hint: 'The URL of an input stops working when the input expires, or when its run ends or is stopped.',
    },
  },
  webhook_not_found: {
    status: 404,
    meaning: "There is no such incoming webhook, it is not active, or it is somebody else's.",
    remedy: 'Check the URL. As owner: look at `is_active`, or make a new webhook: `rpc("create_webhook")`.',
    example: { message: 'There is no such webhook.' },
  },
  webhook_signature_invalid: {
    status: 401,
    meaning:
      'The request to the incoming webhook has no signature or a wrong one. Or the time of the signature is missing, wrong or more than 5 minutes ago.',
    remedy:
      'Sign the body as it is sent, with the secret of the webhook, at the time of sending. As owner: give the webhook the secret of the sender, `rpc("set_webhook_verification")`.',
    example: { message: 'The signature or its time is missing, wrong or too old.' },
  },
  webhook_answer_failed: {
    status: 409,
    meaning:
      'The run of a webhook with `respond` has failed or was stopped, or its output `response` is not a valid answer; `details` has the id of the run.',
    remedy: 'As owner: look at the run, and correct the flow.',
    example: {
      message: 'The output `response` of the run is not a valid answer: status must be a whole number from 200 to 599.',
      details: { flow_run_id: '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5' },
    },
  },
  webhook_loop: {
    status: 409,
    meaning:
      `More than ${requestLimits.chain_depth.value} runs have started one another by outgoing and incoming webhooks.`,
    remedy:
      'As owner: remove the loop; `on_end` of a deployment must not lead to a webhook that starts this deployment again.',
    example: {
      message: '17 runs have started one another by webhooks: it seems to be a loop.',
      hint: 'Remove the loop: on_end of a deployment must not lead to a webhook that starts this deployment again.',
    },
  },
  start_loop: {
    status: 409,
    meaning:
      `More than ${requestLimits.chain_depth.value} runs have started one another; a node of the last of these runs requested this start.`,
    remedy: 'As owner: remove the loop; a flow must not start itself, directly or by other flows.',
    example: {
      message: '17 runs have started one another: it seems to be a loop.',
      hint: 'Remove the loop: a flow must not start itself, directly or by other flows.',
    },
  },
  run_failed: {
    status: 409,
    meaning: 'The run has failed; `details` holds its errors and its output.',
    remedy: 'Read `errors` in `details`.',
    example: {
      message: 'The run has failed.',
      details: {
        errors: ['Transfer 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21: amount: the input is missing'],
        output: { M: { order: { U: '1042' } } },
      },
    },
  },
  action_failed: {
    status: 409,
    meaning: 'The action could not make a transaction for this wallet; its author finds the cause in the run.',
    remedy:
      'Look in the wallet whether the payment was sent; if not, try again later. As owner: look at the errors of the run.',
    example: { message: 'The action could not make its transaction. Nothing was paid. Try again in a minute.' },
  },
  run_stopped: {
    status: 409,
    meaning: 'The run was stopped; `details` holds its errors and its output.',
    remedy: 'Nothing: somebody asked the run to stop.',
    example: { message: 'The run was stopped.', details: { errors: null, output: { M: {} } } },
  },
  run_not_ended: {
    status: 409,
    meaning: 'Only a run that has ended can be redriven, or give its values to a partial run.',
    remedy: 'Wait until the run has ended, or stop it.',
    example: { message: 'This run has not ended.', hint: 'Wait for its end, or stop it.' },
  },
  run_succeeded: {
    status: 409,
    meaning: 'A run that has succeeded cannot be redriven.',
    remedy: 'Start a new run.',
    example: { message: 'This run has succeeded, so there is nothing to continue.', hint: 'Start a new run.' },
  },
  run_redriven: {
    status: 409,
    meaning:
      'The run has been redriven already; `details` names the new run. If that run also fails, it can be redriven.',
    remedy: 'If the run that `details` names has failed, too, redrive that run.',
    example: {
      message: 'This run has already been redriven: the new run is 019aa645-8d3c-7a10-9f27-61c2f0a4d7e5.',
      details: { flow_run_id: '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5' },
      hint: 'If the new run has failed too, redrive the new run.',
    },
  },
  run_not_redrivable: {
    status: 409,
    meaning: 'A redrive cannot take over the succeeded node executions of the run; `details` names the reason.',
    remedy: 'Start a new run.',
    example: {
      message: 'The graph of this run is no longer stored.',
      details: { reason: 'snapshot_deleted' },
      hint: 'Start a new run.',
    },
  },
  redrive_graph_changed: {
    status: 409,
    meaning:
      'Nodes that have had effects in the run differ in the deployment, so a redrive would repeat the effects; `details` lists the nodes. `change` says what differs: `data`, `edges`, `removed` or `called_flow`. With `caller`, a called run executed the node, and the node that called this run differs.',
    remedy:
      'Change the nodes in `details` and their incoming edges back to what they were in the run, then deploy the flow. Or start a new run.',
    example: {
      message:
        'Node 8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f has had its effects in this run and differs in the deployment, so a redrive would repeat the effects.',
      details: [
        {
          flow_run_id: '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5',
          node_id: '8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f',
          change: 'data',
        },
      ],
      hint:
        'Change the nodes in details and their incoming edges back to what they were in the run, then deploy the flow. Or start a new run.',
    },
  },
  outcome_unknown: {
    status: 409,
    meaning:
      'Failed node executions may have changed something outside, and a redrive would change it again; `details` lists them.',
    remedy:
      'Find out whether the change happened. If it did not happen, or if repeating it does no harm, send `?accept_unknown=true`.',
    example: {
      message:
        'Node 8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f may have had effects before it failed, and a redrive may repeat them.',
      details: [
        {
          flow_run_id: '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5',
          node_id: '8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f',
          times: 0,
        },
      ],
      hint:
        'Find out whether the effects happened. If they did not, or if it does no harm to repeat them, redrive with accept_unknown=true.',
    },
  },
  pending_input_answered: {
    status: 409,
    meaning: 'The pending input was answered before, by a value or a cancellation.',
    remedy: 'Nothing: an answer has arrived. To repeat a request safely, send it with the same `Idempotency-Key`.',
    example: {
      message: 'This input was already submitted or cancelled: its URL works only once.',
      hint: 'Send requests with an Idempotency-Key: then you can repeat a request whose response was lost.',
    },
  },
  claim_lost: {
    status: 409,
    meaning: 'Only runners get this error: the run was claimed again, or it has ended.',
    remedy: 'Nothing: a later claim executes the run.',
  },
  inputs_too_large: {
    status: 413,
    meaning: '`inputs` is larger than 1 MiB.',
    remedy: 'Send less; let the flow fetch large data itself.',
    example: { message: 'inputs: must be at most 1 MiB of JSON' },
  },
  queue_full: {
    status: 429,
    meaning:
      "The queue of the project is full, and at least a tenth of `max_queue_length` runs of this flow's owner wait for a worker. The owner may still start runs. Starts by other callers, webhooks and nodes are refused. Or the deployment has too many keys (`details.limit` is `queue_keys`).",
    remedy:
      'Try again after as many seconds as `Retry-After` says. As operator: start more workers, or raise `max_queue_length`.',
    example: {
      message: 'More runs wait to be executed than this project allows.',
      details: { limit: 'max_queue_length', value: 100_000 },
      hint: 'Try again after as many seconds as Retry-After says.',
    },
  },
  start_limit_reached: {
    status: 429,
    meaning:
      'Callers other than the owner have reached a limit of the deployment, or this caller has reached its share of the limit; `details` says which. Try again after `Retry-After` seconds.',
    remedy: "Try again after `Retry-After`. As owner: raise the deployment's limit.",
    example: {
      message: 'This deployment has reached its max_starts_per_minute: 60.',
      details: { limit: 'max_starts_per_minute', value: 60, of: 'all' },
      hint: 'Try again after as many seconds as Retry-After says.',
    },
  },
  action_lookups_limit: {
    status: 429,
    meaning:
      `The transaction of an action has been looked up as often as its run allows: ${runLimits.action_lookups.value} times.`,
    remedy: 'Look at the signature with a wallet or an explorer.',
    example: {
      message: 'The transaction of this run has been looked up 20 times.',
      hint: 'Look at its signature with a wallet or an explorer.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
