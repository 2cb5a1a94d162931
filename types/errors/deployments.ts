import { deploymentLimits } from '../limits/deployments.ts';
import { flowLimits } from '../limits/flows.ts';
import { countText, sizeText } from '../limits/limit_text.ts';
import { requestLimits } from '../limits/requests.ts';
import type { ErrorEntry } from './error_entry.ts';

/** The errors of flows, deployments and node definitions. */
export const deploymentErrors = {
  start_permission_invalid: {
    status: 400,
    meaning: '`start_permission` must be `Owner`, `Authenticated` or `Anonymous`.',
    remedy: 'Write `Owner`, `Authenticated` or `Anonymous`.',
  },
  name_invalid: {
    status: 400,
    meaning: `\`name\` of a deployment must be a text of at most ${flowLimits.name_characters.value} characters.`,
    remedy: `Write a text of at most ${flowLimits.name_characters.value} characters. An empty text means no name.`,
  },
  description_invalid: {
    status: 400,
    meaning: `\`description\` of a deployment must be a text of at most ${
      countText(deploymentLimits.description_characters.value)
    } characters.`,
    remedy: `Write a text of at most ${
      countText(deploymentLimits.description_characters.value)
    } characters. An empty text means no description.`,
  },
  icon_url_invalid: {
    status: 400,
    meaning: `\`icon_url\` must be an https address of at most ${
      countText(requestLimits.url_characters.value)
    } characters, or null.`,
    remedy: 'Write `https://…`, or null for no icon.',
  },
  fees_invalid: {
    status: 400,
    meaning: '`fees` must be a list of `[address, amount]`; `details` lists what is wrong and where.',
    remedy: 'Write `[["<public key>", <lamports>], …]`.',
  },
  chain_network_invalid: {
    status: 400,
    meaning: '`chain_network` must be `{url, cluster}`; `details` lists what is wrong and where.',
    remedy: 'Write `{"url": "https://…", "cluster": "<cluster>"}`.',
  },
  max_starts_per_minute_invalid: {
    status: 400,
    meaning: '`max_starts_per_minute` must be an integer of 0 or more, or null.',
    remedy: 'Write an integer; with 0, only the owner can start; null means the default limit.',
  },
  max_runs_in_flight_invalid: {
    status: 400,
    meaning: '`max_runs_in_flight` must be an integer of 0 or more, or null.',
    remedy: 'Write an integer; with 0, only the owner can start; null means the default limit.',
  },
  queue_key_invalid: {
    status: 400,
    meaning: '`queue_key` must be `caller`, the name of an input of the flow, or null.',
    remedy: 'Write the name of an input that the deployment has.',
  },
  max_running_per_key_invalid: {
    status: 400,
    meaning: '`max_running_per_key` must be an integer of 1 or more, or null.',
    remedy: 'Write an integer; null means no limit.',
  },
  max_starts_per_key_invalid: {
    status: 400,
    meaning: '`max_starts_per_key` must be an integer of 1 or more, or null.',
    remedy: 'Write an integer; null means no limit.',
  },
  key_period_seconds_invalid: {
    status: 400,
    meaning: `\`key_period_seconds\` must be an integer from 1 to ${
      countText(deploymentLimits.key_period_seconds.value)
    }. It is null only if \`max_starts_per_key\` is null, too.`,
    remedy: 'Set both in one request, or set both to null.',
  },
  debounce_seconds_invalid: {
    status: 400,
    meaning: `\`debounce_seconds\` must be an integer from 1 to ${
      countText(deploymentLimits.key_period_seconds.value)
    }, or null. It must be null if \`max_starts_per_key\` or \`queue_key_shared\` is set.`,
    remedy: 'Set `max_starts_per_key` to null and `queue_key_shared` to false in the same request.',
  },
  debounce_max_seconds_invalid: {
    status: 400,
    meaning: `\`debounce_max_seconds\` must be an integer from \`debounce_seconds\` to ${
      countText(deploymentLimits.key_period_seconds.value)
    }, or null. It must be null if \`debounce_seconds\` is null.`,
    remedy: 'Set both in one request, or leave `debounce_max_seconds` null.',
  },
  on_end_invalid: {
    status: 400,
    meaning: '`on_end` must be `{url, events}` or null; `details` lists what is wrong and where.',
    remedy:
      'Write `{"url": "https://…", "events": ["failed"]}`; events are `succeeded`, `failed`, `stopped` and `signature_request`.',
  },
  model_limits_invalid: {
    status: 400,
    meaning: '`model_limits` must be `{run_tokens, day_tokens}` or null; `details` lists what is wrong and where.',
    remedy: 'Write `{"run_tokens": 100000, "day_tokens": 1000000}`, or one of the two members.',
  },
  action_identity_invalid: {
    status: 400,
    meaning: '`action_identity` must be a public key: base58 of 32 bytes.',
    remedy: 'Write base58 of 32 bytes.',
  },
  action_identity_without_wallet: {
    status: 400,
    meaning: "The deployment's owner has no HARDCODED wallet of the public key in `action_identity`.",
    remedy: 'Store the key pair first: `POST /wallets/upsert` with type `HARDCODED`.',
  },
  node_definition_invalid: {
    status: 400,
    meaning: 'The node definition is invalid; `details` lists what is wrong and where.',
    remedy: 'Correct what `details` lists. [Node definitions](node_definitions.md) describes their form.',
    example: {
      message: 'sources[0].type: is missing.',
      details: [{ path: 'sources[0].type', message: 'is missing' }],
      hint: 'This is the definition of node "add".',
    },
  },
  flow_not_found: {
    status: 404,
    meaning: "There is no such flow, or it is somebody else's.",
    remedy: 'Check the id, and whose credential you send.',
    example: { message: 'There is no such flow.' },
  },
  row_start_invalid: {
    status: 400,
    meaning:
      "Changes of rows of this table can't start a flow as requested: the table is not the caller's own, or it lacks a column or the primary key. Or a statement changes too many rows.",
    remedy: 'Do what the message says. If the table has changed, make the row start anew.',
  },
  deployment_not_found: {
    status: 404,
    meaning: 'There is no such deployment, or the caller may not start it.',
    remedy: 'Check the id, flow and tag, and `start_permission`.',
    example: { message: 'There is no such deployment.' },
  },
  flow_changed: {
    status: 409,
    meaning:
      'The flow, or a flow that it calls, was changed during the deploy. Or, in a call of `restore_flow_version`, the flow was saved after the time in `updated_at`.',
    remedy: 'Deploy the flow again when nobody is editing it. Before you restore a version, read the flow again.',
    example: {
      message: 'The flow, or a flow that it calls, was changed during the deploy.',
      hint: 'Deploy the flow again.',
    },
  },
  flow_version_not_found: {
    status: 404,
    meaning: "There is no such version of a flow, or it is somebody else's.",
    remedy: 'List the versions with `flow_history`.',
    example: { message: 'There is no such version.' },
  },
  flow_has_deployments: {
    status: 409,
    meaning: 'The flow has deployments; delete them before the flow.',
    remedy: 'Delete the rows of `flow_deployments` whose `entrypoint` is the flow.',
  },
  tag_latest_protected: {
    status: 409,
    meaning: 'Only the database moves the tag `latest`; callers cannot write it.',
    remedy: 'Use another tag; to move `latest`, deploy again or delete the newest deployment.',
  },
  flows_too_large: {
    status: 413,
    meaning: `One request writes more than ${
      sizeText(flowLimits.written_flow_bytes.value)
    } of nodes and edges to flows.`,
    remedy: 'Change fewer flows in one request.',
    example: {
      message: 'One request may write at most 16 MiB of nodes and edges, in all flows together.',
      hint: 'Change fewer flows at once.',
    },
  },
  flow_invalid: {
    status: 422,
    meaning: `The flow can't run; \`details\` lists the first ${countText(flowLimits.listed_findings.value)} findings.`,
    remedy: 'Correct what `details` lists, in the editor.',
    example: {
      message:
        'The flow can\'t run: two edges lead into the input "value" of node 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21.',
      details: [{
        flow_id: 7,
        code: 'input_connected_twice',
        path: 'edges[3].targetHandle',
        message: 'two edges lead into the input "value" of node 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21',
      }],
    },
  },
} as const satisfies Record<string, ErrorEntry>;
